// SPDX-License-Identifier: Apache-2.0
//
// The libraries: text in, JSON and SVG out. Runs in browsers and in node.
"use strict";

async function tmaEngine(bytes) {
  const { instance } = await WebAssembly.instantiate(bytes, {});
  const wasm = instance.exports;
  const encoder = new TextEncoder();
  const decoder = new TextDecoder();

  function put(at, room, text) {
    const bytes = encoder.encode(text);
    if (bytes.length > room) throw new RangeError(`${bytes.length} bytes of text, ${room} at most`);
    const memory = new Uint8Array(wasm.memory.buffer, at, room + 1);
    memory.set(bytes);
    memory[bytes.length] = 0;
    return bytes.length;
  }
  const taken = (length) => decoder.decode(new Uint8Array(wasm.memory.buffer, wasm.page_out(), length));

  return {
    room: wasm.page_text_room(),
    // What the text is and what follows from it. pick: which call of a paste, -1 the first whole one.
    // A text that is too long is an error of the same form, and what was asked before is forgotten.
    ask(text, pick = -1) {
      const room = wasm.page_text_room();
      const asked = (text) => JSON.parse(taken(wasm.page_ask(put(wasm.page_text(), room, text), pick >>> 0)));
      const length = text.length > room ? text.length : encoder.encode(text).length;
      if (length <= room) return asked(text);
      return { ...asked(""), kind: "error",
        error: `the text has ${length} B or more, must be at most ${room} B: keep the lines around the encode call` };
    },
    // The picture of what was asked last, "" if there is none. theme: 0 auto, 1 light, 2 dark.
    draw: (theme = 0) => taken(wasm.page_draw(theme, 0)),
    // The same without titles, which are more than half of it; and they alone, one for each mark.
    drawUntitled: (theme = 0) => taken(wasm.page_draw(theme, 1)),
    titles: () => taken(wasm.page_titles()).split("\n"),
    // The text that was asked last with an option set; "picture" is the picture's name.
    edit(option, value) {
      put(wasm.page_argument(0), wasm.page_argument_room(), option);
      put(wasm.page_argument(1), wasm.page_argument_room(), String(value));
      return taken(wasm.page_edit());
    },
  };
}

// "#v1/tma+draw+copy+--dtype+..." and back: blanks as +, all else as URLs have it. Links of today
// have to work for ever (tests/page/links.txt): a new form gets a new number.
function tmaLink(text) {
  return "#v1/" + encodeURIComponent(text).replace(/%20/g, "+").replace(/%2C/g, ",").replace(/%3A/g, ":")
    .replace(/%3D/g, "=");
}

function tmaLinked(fragment) {
  if (!fragment.startsWith("#v1/")) return null;
  try {
    return decodeURIComponent(fragment.slice(4).replace(/\+/g, " "));
  } catch (error) {
    return null;
  }
}

if (typeof module !== "undefined") module.exports = { tmaEngine, tmaLink, tmaLinked };
