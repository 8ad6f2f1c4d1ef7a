# SPDX-License-Identifier: Apache-2.0
"""A PTX file in the page: its lines with the findings in the margin, the two accesses marked by a click;
a large file in a worker, which can be stopped; a file that is opened."""
import pathlib

from test_page_browser import By, WebDriverWait, browser, pytestmark, type_in, visit, words  # noqa: F401

HERE = pathlib.Path(__file__).parent
INPUTS = HERE.parent / "golden/inputs"
KERNEL = (INPUTS / "kernel.ptx").read_text()


def lines(browser, kind):
    return [int(row.find_element(By.TAG_NAME, "b").text) for row in browser.find_elements(By.CSS_SELECTOR, "#listing .line." + kind)]


def test_lines_with_findings_in_the_margin(browser):
    visit(browser)
    assert not browser.find_element(By.ID, "list-section").is_displayed()
    type_in(browser, KERNEL)
    shown = browser.find_elements(By.CSS_SELECTOR, "#listing .line code")
    assert [one.text.strip() for one in shown] == [line.strip() for line in KERNEL.split("\n")]
    certain = browser.find_elements(By.CSS_SELECTOR, "#listing button.certain")
    may = browser.find_elements(By.CSS_SELECTOR, "#listing button.may")
    assert (len(certain), len(may)) == (5, 2)
    red, amber = (one[0].value_of_css_property("color") for one in (certain, may))
    boxes = {name: browser.find_element(By.CSS_SELECTOR, "#findings ." + name).value_of_css_property("border-left-color")
             for name in ("faults", "surprising")}
    assert (red.replace("rgba", "rgb").split(",")[:2], amber.replace("rgba", "rgb").split(",")[:2]) == \
        tuple(boxes[name].replace("rgba", "rgb").split(",")[:2] for name in ("faults", "surprising"))
    assert "kernel.cu:20:7" in words(browser, "findings")


def test_a_click_marks_both_accesses(browser):
    visit(browser)
    type_in(browser, (INPUTS / "emulate_tile.ptx").read_text())
    browser.find_element(By.CSS_SELECTOR, "#listing button").click()
    assert (lines(browser, "at"), lines(browser, "other")) == ([59], [64]) and 61 in lines(browser, "path")
    type_in(browser, KERNEL)
    assert not lines(browser, "at")
    browser.find_element(By.CSS_SELECTOR, "#findings button").click()
    assert (lines(browser, "at"), lines(browser, "other")) == ([19], [23])


def test_a_large_file_is_read_aside_and_can_be_stopped(browser):
    visit(browser)
    large = KERNEL + "".join(f"\n// line {n} of a comment that makes the file large" for n in range(9000))
    reading = browser.execute_script(
        "const t = document.getElementById('text'), v = document.getElementById('verdict'); t.value = arguments[0];"
        "t.dispatchEvent(new Event('input')); const said = v.textContent; document.getElementById('stop').click();"
        "return said", large)
    assert reading.startswith("reading the PTX file")
    assert "stopped" in words(browser, "verdict") and not browser.find_element(By.ID, "list-section").is_displayed()
    type_in(browser, large)
    WebDriverWait(browser, 60).until(lambda b: words(b, "verdict").startswith("a PTX file: 7 findings"))
    assert 50 < len(browser.find_elements(By.CSS_SELECTOR, "#listing .line")) < 200
    assert "are left out" in words(browser, "listing")


def test_a_file_is_opened(browser, tmp_path):
    visit(browser)
    browser.find_element(By.ID, "file").send_keys(str(INPUTS / "kernel.ptx"))
    WebDriverWait(browser, 60).until(lambda b: words(b, "verdict").startswith("a PTX file: 7 findings"))
    (tmp_path / "map.bin").write_bytes(bytes(128))
    browser.find_element(By.ID, "file").send_keys(str(tmp_path / "map.bin"))
    WebDriverWait(browser, 60).until(lambda b: b.find_element(By.ID, "text").get_attribute("value") == "00" * 128)
