// SPDX-License-Identifier: Apache-2.0
//
// ask.js HTML: the page's libraries without a browser. A request a line on standard input, as JSON:
// {text, pick?, edit?: [option, value]}; an answer a line, as JSON: {answer, svg, edited, ms}.
"use strict";
const fs = require("fs");
const html = fs.readFileSync(process.argv[2], "utf8");
const part = (id) => html.match(`<script id="${id}"[^>]*>([^]*?)</script>`)[1];
const exported = (script, holder = { exports: {} }) => { new Function("module", script)(holder); return holder.exports; };
const { tmaUnpack } = exported(html.match(/<script>([^]*?)<\/script>/)[1]);
const parts = tmaUnpack(part("unpacker"), part("packed"));
const { tmaEngine, tmaLink, tmaLinked } = exported(new TextDecoder().decode(parts[1]));

tmaEngine(parts[0]).then((engine) => {
  for (const line of fs.readFileSync(0, "utf8").split("\n").filter(Boolean)) {
    const request = JSON.parse(line);
    const text = request.link ? tmaLinked(request.link) : request.text;
    const began = performance.now();
    const answer = engine.ask(text, request.pick ?? -1);
    const svg = engine.draw(0);
    const ms = performance.now() - began;
    const edited = request.edit ? engine.edit(...request.edit) : null;
    console.log(JSON.stringify({ text, answer, svg, edited, link: tmaLink(text), ms }));
  }
});
