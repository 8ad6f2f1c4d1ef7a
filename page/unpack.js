// SPDX-License-Identifier: Apache-2.0
//
// What put_together.py packed: characters to bytes here, those unpacked by a WebAssembly of 2 kB
// (unpack.c), so that nothing is asked of a browser but WebAssembly. Runs in browsers and in node.
"use strict";

// Two characters of 91 are 13 bits; put_together.py writes them, without <, ~ and the backslash.
function ofBase91(text) {
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

// The parts, of which packed has the sizes before its bytes: "SIZE,SIZE,... BYTES".
function tmaUnpack(unpacker, packed) {
  const { from, to, unpack, memory } = new WebAssembly.Instance(new WebAssembly.Module(ofBase91(unpacker))).exports;
  const [head, text] = packed.split(" ");
  const sizes = head.split(",").map(Number);
  const bytes = ofBase91(text);
  new Uint8Array(memory.buffer, from(), bytes.length).set(bytes);
  unpack(sizes.reduce((sum, size) => sum + size, 0));
  let at = to();
  return sizes.map((size) => new Uint8Array(memory.buffer, (at += size) - size, size));
}

if (typeof module !== "undefined") module.exports = { tmaUnpack };
