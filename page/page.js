// SPDX-License-Identifier: Apache-2.0
//
// The page around the libraries: it shows what they answer, and knows no fact of TMA.
"use strict";

const $ = (id) => document.getElementById(id);
let engine, answer, marks, listing, picked = -1, form = "command", lit = null, unread = "";

// Each a text that somebody could have typed, or a log.
const EXAMPLES = {
  "GEMM tile": "tma draw copy --dtype bf16 --dim 4096,8192 --box 64,16 --swizzle 128B --coord 64,8184",
  "too wide": "tma check --dtype bf16 --dim 4096,8192 --box 128,128 --swizzle 128B",
  "bank conflicts": "tma draw banks --dtype f16 --dim 64,64 --box 64,64 --swizzle none --reader column-16B",
  "swizzle": "tma draw swizzle --dtype f16 --dim 64,64 --box 64,8 --swizzle 128B",
  "im2col": "tma draw im2col --api im2col --dtype f16 --dim 64,14,9,64 --lower -1,-1 --upper -1,-1 --channels 64 --pixels 64 --swizzle 128B --coord 0,-1,-1,0",
  "gather4": "tma draw gather --arch sm_100a --dtype bf16 --dim 256,4096 --box 64,1 --swizzle 128B --mode gather4 --coord 64,3,70,512,4095",
  "a log": "TMA Desc Addr:   0x7ffd3ad8c300\nformat         6\ndim            2\ngmem_address   0x7f1e4a000000\nglobalDim      (4096,8192,1,1,1)\nglobalStrides  (2,8192,0,0,0)\nboxDim         (128,128,1,1,1)\nelementStrides (1,1,1,1,1)\ninterleave     0\nswizzle        3\nl2Promotion    2\noobFill        0\nError: Failed to initialize the TMA descriptor 1",
};

// What is shown already is not made anew.
const shown = {};
function already(place, what) {
  const text = JSON.stringify(what);
  const same = shown[place] === text;
  shown[place] = text;
  return same;
}

function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value !== null && value !== undefined) element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
}

function list(pairs, name) {
  const dl = make("dl", { class: name });
  for (const [key, value] of pairs) if (value !== "" && value != null) dl.append(make("dt", {}, key), make("dd", {}, String(value)));
  return dl;
}

function change(text) {
  unread = "";
  $("text").value = text;
  picked = -1;
  show();
}

// Its evidence stands open where something is wrong, and is folded where all runs.
function finding(f, fix = {}, kind = f.severity, title = f.text) {
  const cut = title.indexOf(": " + (fix.statement || "\0"));
  const box = make("article", { class: "finding " + kind },
    make("h3", {}, kind + ": " + (cut > 0 ? title.slice(0, cut) : title)));
  if (cut > 0) box.append(make("p", {}, fix.statement));
  if (fix.option && kind === "refused") {
    box.append(make("button", { type: "button", onclick: () => setOption(fix.option, fix.option_value) },
      `use --${fix.option} ${fix.option_value}`));
  }
  box.append(make("details", kind === "surprising" ? {} : { open: "" }, make("summary", {}, "rule " + f.rule),
    list([["standing", f.standing], ["source", f.source], ["evidence", f.evidence]])));
  return box;
}

// The findings, those of one rule in one box: the second has a heading alone.
function findingBoxes(found, fixes) {
  const boxes = {};
  return found.map((f, i) => {
    const box = finding(f, fixes[i]);
    if (f.severity === "surprising" && boxes[f.rule]) {
      boxes[f.rule].querySelector("h3:last-of-type").after(box.querySelector("h3"));
      return null;
    }
    boxes[f.rule] = box;
    return box;
  }).filter(Boolean);
}

function crash(c) {
  return make("article", { class: "finding surprising" },
    make("h3", {}, `line ${c.line}: ${c.crash}${c.code === null ? "" : ` (${c.code})`}`), make("p", {}, c.meaning),
    list([["tensor copy", c.tensor_copy + (c.tensor_copy_how ? ": " + c.tensor_copy_how : "")],
      ["what else", c.others], ["next", c.next], ["evidence", c.source]]));
}

function word(w) {
  return make("article", { class: "finding" }, make("h3", {}, `line ${w.line}: ${w.word}`), make("p", {}, `as ${w.kind}: ${w.says}`));
}

// What is said of a PTX file; a click on a heading marks its lines.
function ptxFindings(found) {
  return found.map((f) => make("article", { class: "finding " + (f.certain ? "faults" : "surprising") },
    make("h3", {}, make("button", { type: "button", title: "mark both accesses", onclick: () => listing.mark(f) }, `line ${f.line}`), ` ${f.rule}${f.certain ? "" : ", may"}`),
    make("p", {}, f.text), ...(f.text_ ? [make("p", {}, make("code", {}, f.text_))] : []),
    list([["source", sourceOf(f)], ["in", f.function], ["other line", f.other_line], ["path", f.way && f.way.map(passed).join(" → ")]])));
}

function sayPtx(ptx, say, findings) {
  const many = (n, what) => `${n} ${what}${n === 1 ? "" : "s"}`;
  const found = ptxFound(ptx);
  say(found.some((f) => f.certain) ? "bad" : found.length ? "warn" : "good", `a PTX file: ${many(ptx.finding_count, "finding")}`,
    [`${many(ptx.sites, "tensor instruction")}, read as tma ptx reads them, without the maps' bytes`, ...ptx.notes].join("; "));
  findings.push(...ptxFindings(found));
}

function showVerdict() {
  const { kind, ptx_file: ptx, error, crashes, words, lacks, beside, findings: broken, fixes, target, accepted, odd, measure, copy } = answer;
  if (already("verdict", [kind, ptx, answer.mma_is_right, error, crashes, words, lacks, beside, broken, fixes, target, accepted, odd, measure, copy, unread])) return;
  const box = $("verdict");
  const say = (kind, text, more = "") => {
    box.className = kind;
    box.replaceChildren(text, ...(more ? [make("small", {}, more)] : []));
  };
  const findings = [];
  if (unread) say("bad", "this link cannot be read", unread);
  else if (answer.kind === "nothing") box.replaceChildren();
  else if (ptx) sayPtx(ptx, say, findings);
  else if (kind === "error" && crashes && crashes.length) {
    say("warn", "a GPU error, and no map to judge", "what the words can mean; they do not say which instruction it was");
    findings.push(...crashes.map(crash), ...words.map(word));
  } else if (words && words.length) {
    say("warn", "no map to judge: words of 64 bits", "what each says, if it is what its bits look like");
    findings.push(...words.map(word));
  } else if (answer.kind === "error" || answer.kind === "ptx") say("warn", "not understood", answer.error + (held ? "; the picture below is of the text before" : ""));
  else if (kind === "mma") say(answer.mma_is_right ? "good" : "bad", `no map: what these bits say${answer.mma_is_right ? "" : ", and what is wrong or odd"}`);
  else {
    const refused = answer.findings.filter((f) => f.severity === "refused").length;
    const other = answer.findings.length - refused;
    const target = `${answer.target.arch}, driver ${answer.target.driver}`;
    const more = answer.asked ? `by the rules that driver ${answer.target.driver} and an H200 (${answer.target.arch}) showed`
      : `by the documents' rules for ${target}; no such machine was asked`;
    if (copy && copy.trap) say("bad", `this copy kills its kernel: ${copy.trap}`, `${copy.finding ? copy.finding.text + ". " : ""}The driver accepts the map; ${more}`);
    else if (answer.accepted && other) say("warn", `accepted, with ${other} finding${other > 1 ? "s" : ""}`, more);
    else if (answer.accepted) say("good", "accepted", more);
    else if (answer.lacks && !refused) say("warn", `not judged whole: the text lacks ${answer.lacks}`, "what is in the text breaks no rule, so what is not in it decides");
    else say("bad", `refused: CUDA_ERROR_INVALID_VALUE, ${refused} rule${refused > 1 ? "s" : ""} broken`, more);
    if (copy && copy.trap && copy.finding) findings.push(finding(copy.finding, {}, "trap", "evidence"));
    if (answer.lacks) {
      findings.push(make("article", { class: "finding" }, make("button", { type: "button", onclick: () => change(answer.command) },
        `fill in ${answer.lacks}`), make("p", {}, make("code", {}, answer.command))));
    }
    if (beside) findings.push(make("article", { class: "finding surprising" }, make("h3", {}, "beside the map"), make("p", {}, beside)));
    findings.push(...findingBoxes(answer.findings, answer.fixes), ...(crashes || []).map(crash));
    for (const odd of answer.odd || []) {
      findings.push(make("article", { class: "finding surprising" }, make("h3", {}, "odd: " + odd.name), make("p", {}, odd.text)));
    }
    const m = answer.measure;
    const r = copy && copy.op === "load" && copy.report;
    if (m && r && r.tx_B !== m.copy_B) { // gather4: four boxes of a row in one copy
      findings.push(list([["one copy (expect_tx)", `${r.tx_B} B`], ["shared footprint", `${r.footprint_B} B`],
        ["shared alignment", `${m.align_B} B`], ["coordinate 0", `multiples of ${m.coord0_el}`]], "measure"));
    } else if (m) {
      findings.push(list([["one copy (expect_tx)", `${m.copy_B} B`], ["in shared memory", `${m.rows} row${m.rows === 1 ? "" : "s"} of ${m.row_B} B, one every ${m.pitch_B} B`],
        ["shared footprint", `${m.footprint_B} B`], ["shared alignment", `${m.align_B} B`],
        ["pattern alignment", m.pattern_B > m.align_B ? `${m.pattern_B} B` : ""], ["coordinate 0", `multiples of ${m.coord0_el}`],
        ["copies to cover it", m.count.join(" × ") + (m.copies === null ? "" : ` = ${m.copies}`)]], "measure"));
    }
  }
  $("findings").replaceChildren(...findings);
}

function showListing() {
  const ptx = answer.ptx_file;
  $("list-section").hidden = !ptx;
  document.documentElement.classList.toggle("ptx", !!ptx);
  if (!ptx) return;
  if (!already("listing", [ptx, $("text").value])) listing.show($("text").value, ptx);
  showRun();
}

// Kernels are executed by a file beside this one, which is asked for with the first PTX file.
function showRun() {
  if (window.tmaRun) tmaRun($("text").value);
  else if (!already("run", 1)) document.body.append(make("script", { src: "tma-emulator.js", onload: showRun, onerror: () => $("run").append("No tma-emulator.js beside this page: it executes no kernels.") }));
}

function showFound() {
  if (already("found", [answer.found, answer.pick])) return;
  $("found").replaceChildren(...answer.found.map((f, i) =>
    make("article", { class: "finding" + (f.is_map ? "" : " surprising") },
      make("button", { type: "button", "aria-pressed": i === answer.pick, onclick: () => { picked = i; show(); } },
        `lines ${f.line} to ${f.last_line}: ${f.source}`),
      make("p", {}, [f.code_name, f.says, f.not_shown && `not shown, and taken as their defaults: ${f.not_shown}`].filter(Boolean).join("; ")))));
}

function tabs(parent, items, current, panel, choose) {
  const buttons = items.map((item) => make("button", {
    type: "button", role: "tab", "aria-selected": item.name === current, title: item.unfit || item.caption || null,
    "aria-disabled": item.unfit ? "true" : null, tabindex: item.name === current ? 0 : -1,
    "aria-controls": panel,
    onclick: () => { if (!item.unfit) choose(item.name); },
  }, item.name));
  const free = items.map((item, i) => (item.unfit ? -1 : i)).filter((i) => i >= 0);
  parent.onkeydown = (event) => arrow(event, parent, free, (i) => choose(items[i].name));
  parent.replaceChildren(...buttons);
}

// Arrows, Home and End choose among the children of the numbers in `free`, and the focus goes along.
function arrow(event, parent, free, choose) {
  const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
  const at = free.indexOf([...parent.children].indexOf(document.activeElement));
  const next = event.key === "Home" ? 0 : event.key === "End" ? free.length - 1
    : step && at >= 0 ? (at + step + free.length) % free.length : -1;
  if (next < 0 || !free.length) return;
  event.preventDefault();
  choose(free[next]);
  parent.children[free[next]].focus();
}

function setOption(option, value) {
  engine.ask($("text").value, picked);
  change(engine.edit(option, value));
}

function showSliders() {
  const sliders = answer.copy ? answer.copy.sliders : [];
  const place = $("sliders");
  const key = JSON.stringify(sliders.map((s) => [s.option, s.name, s.index, s.first, s.last, s.step]));
  if (place.dataset.key !== key) {
    place.dataset.key = key;
    place.replaceChildren(...sliders.map((s) => {
      const name = s.name ? s.name : s.option === "coord" ? `coordinate ${s.index}` : `${s.option} ${s.index || ""}`;
      const range = { type: "range", min: s.first, max: s.last, step: s.step, "aria-label": name };
      const move = (event) => {
        const now = answer.copy.sliders.filter((other) => other.option === s.option);
        setOption(s.option, now.map((other) => (other.index === s.index ? event.target.value || 0 : other.value)).join(","));
      };
      return make("div", { class: "slider" }, make("code", {}, name), make("input", { ...range, oninput: move }),
        make("input", { type: "number", "aria-label": name + ", as a number", step: s.step, oninput: move }));
    }));
  }
  sliders.forEach((s, i) => {
    for (const input of place.children[i].querySelectorAll("input")) {
      if (input !== document.activeElement || input.type === "range") input.value = s.value;
    }
  });
}

const noPicture = () => (answer.lacks ? `the text lacks ${answer.lacks}` : "the driver makes no such map");

function showPicture() {
  const chosen = (answer.pictures || []).find((p) => p.name === answer.picture);
  if (!already("pictures", [answer.pictures, answer.picture, answer.accepted, answer.lacks])) {
    const none = answer.accepted ? null : noPicture();
    tabs($("pictures"), (answer.pictures || []).map((p) => ({ ...p, unfit: p.unfit || none })), answer.picture, "drawing",
      (name) => setOption("picture", name));
  }
  const svg = chosen && !chosen.unfit ? engine.drawUntitled(Number($("theme").value)) : "";
  $("save").hidden = !svg;
  const cell = svg && already("cell of", [answer.map, answer.picture]) ? lit : null;
  marks.show(svg);
  document.documentElement.classList.toggle("undrawn", !svg);
  scalePicture();
  lit = null;
  if (cell && $("drawing").querySelector(`[data-cell="${cell}"]`)) return light(cell);
  for (const other of $("drawing").querySelectorAll(".lit")) other.classList.remove("lit");
  const says = !chosen ? "" : chosen.unfit ? `${chosen.name}: ${chosen.unfit}`
    : svg ? "Rest the mouse on a cell or tap it, or step through the cells with the arrow keys."
    : `No picture: ${answer.accepted ? "this copy does not run" : noPicture()}.`;
  $("cell").textContent = says;
}

// Pictures have one scale, that at which a copy's two sides fit (1416 px): words stay as large from one
// picture to the next. On a phone they have their own size, and are moved with the finger.
function scalePicture() {
  const svg = $("drawing").firstElementChild;
  if (!svg) return;
  const room = $("drawing").clientWidth;
  const scale = room < 700 && !isEmbedded ? 1 : Math.min(1, Math.max(.8, room / 1416));
  svg.style.width = `${Number(svg.getAttribute("width")) * scale}px`;
}

function showMma() {
  $("mma").hidden = !answer.mma;
  $("mma").textContent = answer.mma || "";
}

function showCopy() {
  const c = answer.copy;
  const place = $("copy");
  if (already("copy", c)) return;
  place.replaceChildren();
  if (!c) return;
  if (c.error) return place.append(make("article", { class: "finding refused" }, make("h3", {}, c.error)));
  place.append(make("p", {}, make("code", {}, c.ptx)));
  if (c.finding && c.finding.rule && !c.trap) place.append(finding(c.finding, {}, "no copy"));
  for (const note of c.notes || []) place.append(finding(note));
  const r = c.report;
  if (r) place.append(list([["counted on the barrier", c.op === "load" ? `${r.tx_B} B` : ""], ["shared footprint", `${r.footprint_B} B`],
    ["inside the tensor", `${r.inside_B} B`], ["filled", r.fill_B ? `${r.fill_B} B` : ""], ["dropped", r.dropped_B ? `${r.dropped_B} B` : ""],
    ["written past the edge", r.past_edge_B ? `${r.past_edge_B} B` : ""]], "measure"));
}

function showBytes() {
  if (already("bytes", [answer.map, answer.fields])) return;
  $("bytes-section").hidden = !answer.map;
  if (!answer.map) return $("bytes").replaceChildren();
  const hex = make("div", { class: "hex", role: "img", tabindex: 0, "aria-label": "the bytes in hex, 16 a line: " + answer.map });
  const cells = [];
  for (let i = 0; i < 128; i++) {
    if (i % 16 === 0) hex.append(make("b", {}, i.toString(16).padStart(2, "0")));
    const byte = answer.map.slice(2 * i, 2 * i + 2);
    cells.push(make("span", { class: byte === "00" ? "zero" : "" }, byte));
    hex.append(cells[i]);
  }
  const body = make("tbody");
  const light = (field, on) => {
    for (let bit = field.bit; bit < field.bit + field.width_bit; bit += 8 - (bit % 8)) {
      cells[4 * field.word_index + Math.floor(bit / 8)].classList.toggle("lit", on);
    }
  };
  for (const field of answer.fields) {
    const row = make("tr", { tabindex: 0 }, make("td", { class: "m" }, field.name), make("td", { class: "m" }, field.says),
      make("td", { class: "m" }, `word ${field.word_index} ${field.bits}`), make("td", {}, field.meaning), make("td", {}, field.evidence));
    for (const [event, on] of [["mouseenter", true], ["mouseleave", false], ["focus", true], ["blur", false]]) {
      row.addEventListener(event, () => { light(field, on); row.classList.toggle("lit", on); });
    }
    body.append(row);
  }
  const head = make("thead", {}, make("tr", {}, ...["field", "value", "bits", "meaning", "evidence"].map((t) => make("th", { scope: "col" }, t))));
  $("bytes").replaceChildren(make("div", { class: "two" }, hex, make("div", { class: "fields" }, make("table", {}, head, body))));
}

function showCode() {
  if (already("code", [answer.forms, form])) return;
  $("code-section").hidden = !answer.forms;
  if (!answer.forms) return;
  const chosen = answer.forms.find((c) => c.name === form) || answer.forms[0];
  tabs($("forms"), answer.forms, chosen.name, "code", (name) => { form = name; showCode(); });
  $("code").textContent = chosen.unfit ? "none: " + chosen.unfit : chosen.text;
}

function showArchs() {
  if (already("archs", [answer.target && answer.target.arch, answer.archs])) return;
  const current = answer.target && answer.target.arch;
  const names = ["sm_90", "sm_100a", "sm_120a"].filter((name) => answer.archs.includes(name));
  if (current && !names.includes(current)) names.push(current);
  const all = names.map((_, i) => i);
  $("archs").onkeydown = (event) => arrow(event, $("archs"), all, (i) => setOption("arch", names[i]));
  $("archs").replaceChildren(...names.map((name, i) => make("button", {
    type: "button", role: "radio", "aria-checked": name === current, tabindex: name === current || (!current && i === 0) ? 0 : -1,
    onclick: () => setOption("arch", name),
  }, name)));
}

// Browsers take few new addresses a second: while somebody types or slides there is none.
let linking = 0;
function setLink() {
  const text = $("text").value;
  const link = tmaLink(text);
  if (link.length < 8000 && tmaLinked(location.hash) !== text) history.replaceState(null, "", link);
}

// "?embed": the verdict and the picture alone, for an iframe of somebody's text.
const isEmbedded = new URLSearchParams(location.search).has("embed");
document.documentElement.classList.toggle("embed", isEmbedded);

// Options that are typed half keep what the text before showed; any other text does not.
let held = false;

// A large PTX file is read by a worker, which can be stopped; what comes of it is shown as any answer.
const LARGE = 200000;
let aside = null;
const isPtx = (text) => /^\s*(?:(?:\/\/.*|\/\*[^]*?\*\/)\s*)*\.version\s/.test(text);

function stopAside() {
  if (aside) aside.terminate();
  aside = null;
}

function askAside(text) {
  const code = tmaParts.engine + "\nonmessage = async (e) => postMessage((await tmaEngine(e.data.wasm)).ask(e.data.text));";
  const url = URL.createObjectURL(new Blob([code], { type: "text/javascript" }));
  const worker = aside = new Worker(url);
  URL.revokeObjectURL(url);
  const done = (now) => { stopAside(); shown.verdict = ""; render(now, answer, text, performance.now()); };
  const failed = (why) => done({ kind: "error", error: why, found: [], archs: [] });
  worker.onmessage = (event) => done(event.data);
  worker.onerror = (event) => failed(`this page failed on the text: ${event.message}`);
  worker.postMessage({ wasm: tmaParts.wasm, text });
  $("verdict").className = "warn";
  $("verdict").replaceChildren("reading the PTX file … ", make("button", { type: "button", id: "stop", onclick: () => failed("stopped") }, "Stop"));
}

function show() {
  const began = performance.now();
  const text = $("text").value;
  const before = answer;
  stopAside();
  if (text.length > LARGE && isPtx(text)) {
    askAside(text);
    return;
  }
  let now;
  try {
    now = engine.ask(text, picked);
  } catch (error) { // what was shown is not of this text
    now = { kind: "error", error: `this page failed on the text: ${error.message}`, found: [], archs: [] };
  }
  render(now, before, text, began);
}

function render(now, before, text, began) {
  answer = now;
  held = answer.kind === "error" && /^\s*(tma\s|--)/.test(text) && !!before && (before.pictures || []).length > 0;
  document.documentElement.classList.toggle("held", held);
  for (const name of ["sliders", "pictures", "archs"]) $(name).inert = held;
  showVerdict();
  if (held) {
    answer = before;
    $("took").textContent = "";
    return;
  }
  showArchs();
  showFound();
  showListing();
  showSliders();
  showPicture();
  showMma();
  showCopy();
  showBytes();
  showCode();
  $("whole").hidden = !isEmbedded;
  if (isEmbedded) $("whole").href = location.href.replace(/[?#].*/s, "") + tmaLink(text);
  clearTimeout(linking);
  linking = setTimeout(setLink, 200);
  window.tmaRedraw = performance.now() - began;
  $("took").textContent = `Redrawn in ${window.tmaRedraw.toFixed(1)} ms.`;
}

// With its titles, which the page itself leaves out.
function savePicture() {
  const svg = new Blob([engine.draw(Number($("theme").value))], { type: "image/svg+xml" });
  const link = make("a", { href: URL.createObjectURL(svg), download: `tma-${answer.picture}.svg` });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

function light(cell, element) {
  const svg = $("drawing").firstElementChild;
  if (!svg || cell === lit) return;
  svg.querySelectorAll(".lit").forEach((other) => other.classList.remove("lit"));
  lit = cell;
  if (cell === null) return;
  const same = [...svg.querySelectorAll(`[data-cell="${cell}"]`)];
  same.forEach((other) => other.classList.add("lit"));
  const said = [...new Set((element ? [element] : same).map(marks.says).filter(Boolean))];
  $("cell").textContent = said.join("; ");
}

function stepCell(event) {
  const step = { ArrowRight: 1, ArrowLeft: -1, Home: -Infinity, End: Infinity }[event.key];
  const svg = $("drawing").firstElementChild;
  if (!step || !svg) return;
  event.preventDefault();
  const cells = [...new Set([...svg.querySelectorAll("[data-cell]")].map((e) => Number(e.dataset.cell)))].sort((a, b) => a - b);
  const at = lit === null ? -1 : cells.indexOf(Number(lit));
  const next = Math.min(Math.max(at + step, 0), cells.length - 1);
  if (cells.length) light(String(cells[next]));
}

// Browsers give a clipboard to safe pages alone (https, files); elsewhere the old way does it.
async function copyText(text, what) {
  let done = false;
  try {
    await navigator.clipboard.writeText(text);
    done = true;
  } catch {
    const area = make("textarea", { "aria-hidden": "true", class: "hidden" });
    const focused = document.activeElement;
    area.value = text;
    document.body.append(area);
    area.select();
    done = document.execCommand("copy");
    area.remove();
    if (focused) focused.focus();
  }
  $("copied").textContent = done ? `${what} copied` : `this browser does not let a page copy; select the ${what} and copy it`;
  setTimeout(() => { $("copied").textContent = ""; }, 4000);
}

// A file's text; 128 bytes are a map, and go in as hex.
async function openFile(file) {
  if (!file) return;
  const bytes = new Uint8Array(await file.arrayBuffer());
  change(bytes.length === 128 ? Array.from(bytes, (b) => b.toString(16).padStart(2, "0")).join("") : new TextDecoder().decode(bytes));
}

// What the address behind # says, or why it cannot be read.
function readLink() {
  const text = tmaLinked(location.hash);
  unread = text === null && location.hash.length > 1 ? `${location.hash.slice(0, 60)} is none of this page's links: they begin with #v1/` : "";
  return text;
}

async function start(wasm) {
  engine = await tmaEngine(wasm);
  marks = tmaMarks($("drawing"), engine.titles);
  listing = tmaListing($("listing"), make);
  const theme = () => { document.documentElement.dataset.theme = $("theme").value; if (answer) show(); };
  $("theme").addEventListener("change", theme);
  $("text").addEventListener("input", () => { picked = -1; unread = ""; show(); });
  $("drawing").addEventListener("mouseover", (event) => {
    const cell = event.target.closest("[data-cell]");
    const says = cell ? "" : marks.says(event.target);
    if (cell) light(cell.dataset.cell, cell);
    else if (says) $("cell").textContent = says;
  });
  $("drawing").addEventListener("keydown", stepCell);
  $("save").addEventListener("click", savePicture);
  $("take").addEventListener("click", () => copyText($("code").textContent, "text"));
  $("link").addEventListener("click", () => { setLink(); copyText(location.href, "link"); });
  window.addEventListener("pagehide", setLink);
  $("open").addEventListener("click", () => $("file").click());
  $("file").addEventListener("change", () => openFile($("file").files[0]));
  document.addEventListener("dragover", (event) => event.preventDefault());
  document.addEventListener("drop", (event) => {
    event.preventDefault();
    openFile(event.dataTransfer.files[0]);
  });
  $("examples").append(...Object.entries(EXAMPLES).map(([name, text]) =>
    make("button", { type: "button", onclick: () => change(text) }, name)));
  const linked = () => {
    const text = readLink();
    if (text !== null && text !== $("text").value) change(text);
    else if (unread) show();
  };
  window.addEventListener("hashchange", linked);
  window.addEventListener("resize", scalePicture);
  $("text").value = readLink() ?? (unread ? "" : EXAMPLES["GEMM tile"]);
  show();
  window.tmaLoad = performance.now();
  document.documentElement.dataset.ready = "yes";
}

start(tmaParts.wasm).catch(tmaFailed);
