// SPDX-License-Identifier: Apache-2.0
//
// The emulator: a PTX text and a launch in, one object out. Runs in a worker and in node, once for one run.
"use strict";

async function tmaEmulator(bytes, progress) {
  const { instance } = await WebAssembly.instantiate(bytes, { env: { progress } });
  const wasm = instance.exports;
  const part = (at, length) => new Uint8Array(wasm.memory.buffer, at >>> 0, length);

  function put(text) {
    const bytes = new TextEncoder().encode(text);
    const at = wasm.emulate_room(bytes.length + 1);
    if (!at) throw new RangeError(`no memory for ${bytes.length} bytes of text`);
    part(at, bytes.length).set(bytes);
    return [at, bytes.length];
  }
  function taken(length) {
    if (!length) throw new RangeError("no memory for the answer");
    return JSON.parse(new TextDecoder().decode(part(wasm.emulate_out(), length >>> 0)));
  }
  return {
    run: (ptx, options) => taken(wasm.emulate_launch(...put(ptx), ...put(options))),
    timeline: () => taken(wasm.emulate_picture()),
  };
}

// In a worker: the answer first, then the picture; how far it is about five times a second.
async function tmaEmulateFor(post, { wasm, ptx, options }) {
  let said = performance.now();
  const emulator = await tmaEmulator(wasm, (instructions) => {
    if (performance.now() - said < 200) return;
    said = performance.now();
    post({ instructions });
  });
  const answer = emulator.run(ptx, options);
  post({ answer });
  if (!answer.error) post({ timeline: emulator.timeline() });
}

if (typeof module !== "undefined") module.exports = { tmaEmulator };
