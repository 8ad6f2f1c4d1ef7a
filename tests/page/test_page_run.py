# SPDX-License-Identifier: Apache-2.0
"""Kernels executed in the page: findings in the margin, both accesses marked, the time line, a run that is stopped,
and a page without its emulator."""
import os
import pathlib
import shutil

import pytest
from test_page_browser import By, WebDriverWait, axe_source, browser, pytestmark, type_in, visit, words  # noqa: F401
from test_page_listing import lines

HERE = pathlib.Path(__file__).parent
TILE = (HERE.parent / "golden/inputs/emulate_tile.ptx").read_text()
MAPPED = "--param out=zeros:512 --map 'map=--dtype float16 --dim 64,32 --box 64,32'"
PAGE = pathlib.Path(os.environ["PAGE"])
ENDLESS = """.version 8.0
.target sm_90a
.address_size 64
.visible .entry endless(.param .u32 n)
{
    .reg .b32 %r<3>;
    .reg .pred %p;
    ld.param.u32 %r1, [n];
again:
    add.u32 %r2, %r2, 1;
    setp.ne.u32 %p, %r2, %r1;
    @%p bra again;
    ret;
}
// launch: --block 32 --param n=4294967295
"""


def show(browser, text):
    type_in(browser, text)
    WebDriverWait(browser, 60).until(lambda b: b.find_elements(By.ID, "go"))


def begin(browser, options):
    browser.execute_script("document.getElementById('launch').value = arguments[0]; document.getElementById('go').click()", options)


def run(browser, options):
    begin(browser, options)
    WebDriverWait(browser, 120).until(lambda b: b.find_element(By.ID, "go").is_enabled())


def severe(browser):
    return [e for e in browser.get_log("browser") if e["level"] == "SEVERE"]


def test_a_race_with_its_witness(browser):
    visit(browser)
    severe(browser)
    show(browser, TILE)
    run(browser, "--kernel waits_not " + MAPPED)
    said = words(browser, "ran")
    assert said.startswith("kernel waits_not: completed, 1 finding") and "coverage: 5 of 5" in said
    assert "thread 96 of CTA 0, read of 4 bytes at shared 0x580" in said and "copy's write" in said
    assert (lines(browser, "at"), lines(browser, "other")) == ([64], [59])
    assert len(browser.find_elements(By.CSS_SELECTOR, "#listing button.certain")) == 2, "that of tma ptx, and that of the run"
    browser.execute_script("document.querySelector('#listing button').click()")
    assert lines(browser, "at") == [59]
    browser.find_element(By.CSS_SELECTOR, "#ran h3 button").click()
    assert (lines(browser, "at"), lines(browser, "other")) == ([64], [59])
    time = browser.find_element(By.ID, "time")
    assert time.is_displayed() and "wait-missing" in time.text and "CTA 0 warp 3" in time.text
    assert severe(browser) == []


@pytest.mark.parametrize("options, end, kind", [
    ("--kernel waits " + MAPPED, "kernel waits: completed, 0 findings", "good"), ("--kernel hangs --param n=3 --block 128", "kernel hangs: deadlock", "bad"),
    ("", "not executed: --kernel: name one; the PTX has waits, waits_not, hangs", "warn"), ("--gird 2", "not executed: launch: --gird is no option", "warn")])
def test_ends(browser, options, end, kind):
    visit(browser)
    show(browser, TILE)
    run(browser, options)
    assert words(browser, "ran").startswith(end)
    assert browser.find_element(By.CSS_SELECTOR, "#ran .ended").get_attribute("class") == "ended " + kind
    assert browser.find_element(By.ID, "time").is_displayed() == (kind != "warn")


def test_a_long_run_says_how_far_it_is_and_is_stopped(browser):
    visit(browser)
    show(browser, ENDLESS)
    assert browser.find_element(By.ID, "launch").get_attribute("value") == "--block 32 --param n=4294967295"
    begin(browser, "--block 32 --param n=4294967295 --no-order")
    WebDriverWait(browser, 60).until(lambda b: "million thread instructions" in words(b, "run-says"))
    browser.execute_script("const end = Worker.prototype.terminate; window.ended = 0;"
                           "Worker.prototype.terminate = function () { window.ended++; end.call(this); }")
    browser.find_element(By.ID, "stop-run").click()
    assert browser.execute_script("return window.ended") == 1
    assert words(browser, "run-says") == "stopped" and browser.find_element(By.ID, "go").is_enabled()
    run(browser, "--block 32 --param n=9")
    assert words(browser, "ran").startswith("kernel endless: completed")


def test_another_text_ends_what_ran(browser):
    visit(browser)
    show(browser, ENDLESS)
    begin(browser, "--block 32 --param n=4294967295 --no-order")
    type_in(browser, TILE)
    assert browser.find_element(By.ID, "go").is_enabled() and words(browser, "ran") == "" and words(browser, "run-says") == ""
    run(browser, "--kernel waits_not " + MAPPED)
    type_in(browser, "tma check --dtype bf16 --dim 4096,8192 --box 64,128")
    assert not browser.find_element(By.ID, "run").is_displayed() and not browser.find_element(By.ID, "time").is_displayed()


def test_the_page_alone_says_what_it_lacks(browser, tmp_path):
    shutil.copy(PAGE, tmp_path / "index.html")
    browser.get((tmp_path / "index.html").as_uri())
    WebDriverWait(browser, 60).until(lambda b: b.execute_script("return document.documentElement.dataset.ready"))
    type_in(browser, TILE)
    WebDriverWait(browser, 60).until(lambda b: words(b, "run"))
    assert words(browser, "run") == "No tma-emulator.js beside this page: it executes no kernels."
    assert words(browser, "verdict").startswith("a PTX file: 1 finding")
    assert len(browser.find_elements(By.CSS_SELECTOR, "#listing .line")) > 80
    type_in(browser, "tma check --dtype bf16 --dim 4096,8192 --box 64,128")
    assert words(browser, "verdict").startswith("accepted") and not browser.find_element(By.ID, "run").is_displayed()


def test_no_width_is_too_narrow(browser):
    for width in (360, 390, 1280):
        browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False})
        visit(browser)
        show(browser, TILE)
        run(browser, "--kernel waits_not " + MAPPED)
        assert browser.execute_script("return document.documentElement.scrollWidth") == width
    browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


@pytest.mark.parametrize("theme, width", [("1", 1280), ("2", 1280), ("2", 390)])
def test_axe_finds_nothing_behind_a_run(browser, theme, width):
    axe = axe_source()
    if not axe:
        pytest.skip("no axe-core-python (pip install axe-core-python), and AXE names no axe.min.js")
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False})
    visit(browser)
    browser.execute_script("const s = document.getElementById('theme'); s.value = arguments[0]; s.dispatchEvent(new Event('change'))", theme)
    show(browser, TILE)
    run(browser, "--kernel waits_not " + MAPPED)
    browser.execute_script(axe)
    found = browser.execute_async_script("const done = arguments[0]; axe.run(document).then((r) => done(r.violations.map((v) => [v.id, v.nodes[0].target.join(' ')])))")
    browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    assert found == []
