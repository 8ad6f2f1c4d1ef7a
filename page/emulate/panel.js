// SPDX-License-Identifier: Apache-2.0
//
// tma-emulator.js: kernels of the page's PTX file executed. The page calls tmaRun() with the text that it
// shows; here stands what is seen of a run, and what is said of it comes from the emulator.
"use strict";

function tmaRun(text) {
  tmaRun.panel = tmaRun.panel || tmaRunPanel();
  tmaRun.panel.show(text);
}

// The launch that a file's last lines give, as those of tests/emulator/kernels do: "// launch: OPTIONS".
function tmaRunLaunch(text) {
  const given = [...text.matchAll(/^\/\/ launch: (.*)$/gm)].pop();
  return given ? given[1].trim() : "";
}

// WebAssembly and the worker's script, unpacked once.
function tmaRunParts() {
  tmaRun.parts = tmaRun.parts || tmaUnpack($("unpacker").textContent, tmaRun.packed.replaceAll("~", '"')).map((part) => part.slice());
  return tmaRun.parts;
}

// A worker that executes; say gets its messages, and what stopped it as {failed}.
function tmaRunWorker(message, say) {
  const [wasm, script] = tmaRunParts();
  const code = new TextDecoder().decode(script) + "\nonmessage = (e) => tmaEmulateFor(postMessage, e.data).catch((error) => postMessage({ failed: error.message }));";
  const url = URL.createObjectURL(new Blob([code], { type: "text/javascript" }));
  const worker = new Worker(url);
  URL.revokeObjectURL(url);
  worker.onmessage = (event) => say(event.data);
  worker.onerror = (event) => say({ failed: event.message });
  worker.postMessage({ ...message, wasm });
  return worker;
}

// A finding as the listing marks it: its line, the other access's, its source line.
function tmaRunMark(f) {
  const [, file, line] = /^(.*):(\d+)$/.exec(f.source || "") || [];
  return { ...f, other_line: f.accesses[1] && f.accesses[1].line, source: file ? { file, line } : null };
}

function tmaRunFinding(f, accesses, mark) {
  const names = accesses.length > 1 ? ["later", "earlier"] : ["where"];
  return make("article", { class: "finding " + (f.certain ? "faults" : "surprising") },
    make("h3", {}, make("button", { type: "button", title: "mark both accesses", onclick: () => mark(f) }, f.line ? `line ${f.line}` : "the run"), ` ${f.rule}${f.certain ? "" : ", may"}`),
    make("p", {}, f.text),
    list([...accesses.map((said, i) => [names[i], said + (f.accesses[i].line ? `, line ${f.accesses[i].line}` : "")]), ["missing", f.missing],
      ["source", f.source ? `${f.source.file}:${f.source.line}` : ""], ["invented", f.invented.join(", ")]]));
}

function tmaRunPanel() {
  let text = null, worker = null, pictures = null;
  const field = make("input", { id: "launch", type: "text", spellcheck: "false", autocapitalize: "off", autocomplete: "off", placeholder: "--block 128 --param out=zeros:512" });
  const go = make("button", { type: "submit", id: "go" }, "Run");
  const stop = make("button", { type: "button", id: "stop-run", hidden: "", onclick: () => end("stopped") }, "Stop");
  const look = make("button", { type: "button", hidden: "", onclick: () => time.scrollIntoView() }, "Time line");
  const says = make("span", { role: "status", "aria-live": "polite", id: "run-says" });
  const ran = make("div", { id: "ran" });
  const drawing = make("div", { tabindex: 0, role: "region", "aria-label": "Time line of the run", class: "timeline" });
  const time = make("section", { class: "time", id: "time", "aria-labelledby": "time-title", hidden: "" }, make("h2", { id: "time-title" }, "Time line"), drawing);

  function end(why) {
    if (worker) worker.terminate();
    worker = null;
    stop.hidden = true;
    go.disabled = false;
    says.textContent = why;
  }

  function clear() {
    end("");
    pictures = null;
    time.hidden = look.hidden = true;
    ran.replaceChildren();
    drawing.replaceChildren();
  }

  function showListingWith(found) {
    if (answer.ptx_file) listing.show(text, { ...answer.ptx_file, findings: [...answer.ptx_file.findings, ...found] });
  }

  function showError(why) {
    ran.replaceChildren(make("p", { class: "ended warn" }, "not executed: " + why));
  }

  function showAnswer({ emulate, text: said, printed, witness }) {
    const found = emulate.findings.filter((f) => f.by === "execution").map(tmaRunMark);
    const kind = emulate.findings.some((f) => f.certain) ? "bad" : emulate.findings.length || emulate.end !== "completed" ? "warn" : "good";
    const lines = said.split("\n");
    const rest = lines.filter((line) => /^(end|coverage|schedules|not judged)\b/.test(line));
    const mark = (f) => listing.mark(f);
    ran.replaceChildren(
      make("p", { class: "ended " + kind }, lines[0], ...rest.map((line) => make("small", {}, line))),
      ...found.map((f, i) => tmaRunFinding(f, witness[i], mark)),
      ...emulate.notes.map((note) => make("p", { class: "note" }, make("button", { type: "button", onclick: () => mark(note) }, `line ${note.line}`), " " + note.text)),
      ...(printed ? [make("details", { open: "" }, make("summary", {}, "what the kernel printed"), make("pre", { tabindex: 0 }, printed))] : []),
      make("details", {}, make("summary", {}, "as tma emulate prints it"), make("pre", { tabindex: 0 }, said)));
    showListingWith(found);
    if (found.length) mark(found[0]);
  }

  function showPicture() {
    drawing.innerHTML = pictures ? pictures[Number($("theme").value)] : "";
  }

  function take(message) {
    if (message.instructions) says.textContent = `${(message.instructions / 1e6).toFixed(1)} million thread instructions …`;
    if (message.failed) {
      end("");
      showError(message.failed);
    }
    if (message.answer && message.answer.error) {
      end("");
      showError(message.answer.error);
    } else if (message.answer) {
      says.textContent = "drawing the time line …";
      showAnswer(message.answer);
    }
    if (message.timeline) {
      end(message.timeline.error ? "no time line: " + message.timeline.error : "");
      pictures = message.timeline.svg;
      time.hidden = look.hidden = !pictures;
      showPicture();
    }
  }

  function run(event) {
    event.preventDefault();
    clear();
    showListingWith([]);
    go.disabled = true;
    stop.hidden = false;
    says.textContent = "executing …";
    const mine = worker = tmaRunWorker({ ptx: text, options: field.value }, (message) => { if (worker === mine) take(message); });
  }

  document.head.append(make("style", {}, `/* panel.css */`));
  $("run").replaceChildren(make("form", { onsubmit: run }, make("label", { class: "quiet", for: "launch" },
    "Launch, in the options of ", make("code", {}, "tma emulate"), "; what is left out is invented"), make("div", { class: "row" }, field, go, stop, look), says), ran);
  document.querySelector("main").after(time); // in it the listing, which stays in sight, would lie on it
  $("theme").addEventListener("change", showPicture);
  return {
    show(now) {
      if (now === text) return;
      clear();
      text = now;
      field.value = tmaRunLaunch(text);
    },
  };
}
