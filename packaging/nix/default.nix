# SPDX-License-Identifier: Apache-2.0
{ pkgs ? import <nixpkgs> { } }:
let
  header = builtins.readFile ../../include/tma/export.h;
  version = builtins.head (builtins.match ".*#define TMA_VERSION +\"([0-9.]+)\".*" header);
in
pkgs.stdenv.mkDerivation {
  pname = "libtma";
  inherit version;
  src = ../..;
  nativeBuildInputs = [ pkgs.cmake pkgs.ninja pkgs.pkg-config pkgs.python3 ];
  buildInputs = [ pkgs.cairo pkgs.zlib ];
  cmakeFlags = [ "-DLIBTMA_WERROR=OFF" "-DLIBTMA_BUILD_TESTS=OFF" "-DLIBTMA_BUILD_BENCH=OFF" "-DLIBTMA_BUILD_FUZZERS=OFF"
    "-DLIBTMA_CAIRO_FILE=${pkgs.lib.getLib pkgs.cairo}/lib/libcairo.so.2" ]; # opened, not linked
  meta = {
    description = "NVIDIA's Tensor Memory Accelerator without a GPU: tensor maps and their copies";
    license = pkgs.lib.licenses.asl20;
    mainProgram = "tma";
    platforms = pkgs.lib.platforms.linux;
  };
}
