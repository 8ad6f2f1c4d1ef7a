// SPDX-License-Identifier: Apache-2.0
//
// The libraries: text in, JSON and SVG out. Runs in browsers and in node.
"use strict";

// Two characters of 91 are 13 bits; put_together.py writes them, without <, ~ and the backslash.
function unpacked(text) {
  const digit = (i) => { const c = text.charCodeAt(i); return c - 33 - (c > 60) - (c > 92); };
  const pairs = Math.floor(text.length / 2);
  const bytes = new Uint8Array(Math.floor(pairs * 13 / 8) - text.length % 2); // a lone one says that the last byte is none
  let at = 0, bits = 0, held = 0;
  for (let i = 0; i < 2 * pairs; i += 2) {
    bits |= digit(i) + 91 * digit(i + 1) << held;
    for (held += 13; held >= 8; held -= 8, bits >>>= 8) bytes[at++] = bits & 255;
  }
  return bytes;
}

async function tmaEngine(packed) {
  const unzip = new DecompressionStream("gzip");
  const writer = unzip.writable.getWriter();
  const written = writer.write(unpacked(packed)).then(() => writer.close());
  // Compiled while it is unpacked.
  const response = new Response(unzip.readable, { headers: { "Content-Type": "application/wasm" } });
  const [{ instance }] = await Promise.all([WebAssembly.instantiateStreaming(response, {}), written]);
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
