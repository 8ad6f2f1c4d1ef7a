// SPDX-License-Identifier: Apache-2.0
//
// tma-emulator.js: kernels of the page's PTX file executed. It shows what the emulator answers.
"use strict";

function tmaRun() {}
