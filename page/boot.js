// SPDX-License-Identifier: Apache-2.0
//
// The packed scripts become the page's, one after the other; what fails is said where the verdict stands.
"use strict";

const tmaParts = {};

function tmaFailed(error) {
  const box = document.getElementById("verdict");
  box.className = "bad";
  box.textContent = `This browser cannot run the page (${error.message || error}). It needs WebAssembly: any browser since 2021. The commands tma check and tma draw say the same.`;
}

window.addEventListener("error", (event) => tmaFailed(event));
try {
  const text = (id) => document.getElementById(id).textContent;
  const parts = tmaUnpack(text("unpacker"), text("packed"));
  tmaParts.wasm = parts.shift();
  tmaParts.engine = new TextDecoder().decode(parts[0]);
  for (const part of parts) {
    const script = document.createElement("script");
    script.textContent = new TextDecoder().decode(part);
    document.body.append(script);
  }
} catch (error) {
  tmaFailed(error);
}
