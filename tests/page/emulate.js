// SPDX-License-Identifier: Apache-2.0
//
// emulate.js HTML SCRIPT: the page's emulator without a browser. A request a line on standard input, as JSON:
// {ptx, options, timeline?}; an answer a line: {answer, timeline, told}, told how often it said how far it was.
"use strict";
const fs = require("fs");
const [html, script] = process.argv.slice(2).map((path) => fs.readFileSync(path, "utf8"));
const exported = (text, holder = { exports: {} }) => { new Function("module", text)(holder); return holder.exports; };
const { tmaUnpack } = exported(html.match(/<script>([^]*?)<\/script>/)[1]);
const { packed } = exported(script + "\nmodule.exports = tmaRun;");
const [wasm, worker] = tmaUnpack(html.match(/<script id="unpacker"[^>]*>([^]*?)<\/script>/)[1], packed.replaceAll("~", '"'));
const bytes = wasm.slice();
const { tmaEmulator } = exported(new TextDecoder().decode(worker));

(async () => {
  for (const line of fs.readFileSync(0, "utf8").split("\n").filter(Boolean)) {
    const request = JSON.parse(line);
    let told = 0;
    const emulator = await tmaEmulator(bytes, () => { told++; });
    const answer = emulator.run(request.ptx, request.options);
    const timeline = request.timeline ? emulator.timeline() : null;
    console.log(JSON.stringify({ answer, timeline, told }));
  }
})();
