// SPDX-License-Identifier: Apache-2.0
//
// A PTX file's lines with its findings in the margin; a click marks the two accesses and the path between.
"use strict";

const LISTED_WHOLE = 4000; // lines; of a longer file those around its findings
const LISTED_AROUND = 30;

// All findings of a PTX file by line: an instruction's, and those about no tensor instruction.
function ptxFound(ptx) {
  const all = [...ptx.instructions.flatMap((i) => i.findings.map((f) => ({ ...f, line: i.line, function: i.function, text_: i.text, source: i.source }))), ...ptx.findings];
  return all.sort((a, b) => a.line - b.line);
}

const isSource = (s) => s && s.file;
function sourceOf(f) {
  const s = isSource(f.source) ? f.source : ((f.way || []).find((p) => p.line === f.line) || {}).source;
  return isSource(s) ? `${s.file}:${s.line}${s.column ? ":" + s.column : ""}` : "";
}

// A place on the path between a finding's two lines.
function passed(p) {
  return `line ${p.line}${p.kind === "act" || p.kind === "begin" ? "" : " " + p.text}${p.says ? ` (${p.says})` : ""}${p.left_out ? ` → ${p.left_out} more places` : ""}`;
}

function tmaListing(box, make) {
  let rows = new Map();

  function mark(f) {
    for (const row of rows.values()) row.classList.remove("at", "other", "path");
    for (const p of f.way || []) if (rows.has(p.line)) rows.get(p.line).classList.add("path");
    for (const [line, name] of [[f.other_line, "other"], [f.line, "at"]]) {
      const row = rows.get(line);
      if (!row) continue;
      row.classList.add(name);
      box.scrollTop = row.offsetTop - box.clientHeight / 2;
    }
  }

  // [first, last] stretches of lines to show.
  function stretches(count, found) {
    if (count <= LISTED_WHOLE) return [[1, count]];
    const near = [];
    for (const line of found.flatMap((f) => [f.line, f.other_line, ...(f.way || []).map((p) => p.line)]).filter(Boolean).sort((a, b) => a - b)) {
      const [first, last] = [Math.max(1, line - LISTED_AROUND), Math.min(count, line + LISTED_AROUND)];
      if (near.length && first <= near[near.length - 1][1] + 1) near[near.length - 1][1] = Math.max(last, near[near.length - 1][1]);
      else near.push([first, last]);
    }
    return near.length ? near : [[1, LISTED_WHOLE]];
  }

  function row(lines, line, here, source) {
    const margin = here.map((f) => make("button", { type: "button", class: f.certain ? "certain" : "may",
      title: f.text, "aria-label": `${f.rule} at line ${line}: mark both accesses`, onclick: () => mark(f) }, f.rule));
    const element = make("div", { class: "line" }, make("b", {}, String(line)), make("code", {}, lines[line - 1] || " "), ...(source ? [make("small", {}, source)] : []), ...margin);
    rows.set(line, element);
    return element;
  }

  function show(text, ptx) {
    const found = ptxFound(ptx);
    const lines = text.split("\n");
    const at = new Map();
    for (const f of found) at.set(f.line, [...(at.get(f.line) || []), f]);
    const sources = new Map([...ptx.instructions, ...found].map((one) => [one.line, sourceOf(one)]));
    rows = new Map();
    const children = [];
    let shown = 0;
    for (const [first, last] of stretches(lines.length, found)) {
      if (first > shown + 1) children.push(make("p", {}, `lines ${shown + 1} to ${first - 1} are left out`));
      for (let line = first; line <= last; line++) children.push(row(lines, line, at.get(line) || [], sources.get(line)));
      shown = last;
    }
    if (shown < lines.length) children.push(make("p", {}, `lines ${shown + 1} to ${lines.length} are left out`));
    box.replaceChildren(...children);
  }
  return { show, mark };
}
