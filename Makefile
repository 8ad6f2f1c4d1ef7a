# SPDX-License-Identifier: Apache-2.0
#
# The common jobs, in front of CMake. Everything lands in build/ (and build-asan/, build-fuzz/).
#   make            build/tma, build/libtma.a, build/libtma.so
#   make demo       the main job, shown on a real map
#   make test       all tests, twice: plain, and with clang's address and undefined sanitizers
#   make bench      what an encode and a decode cost
#   make fuzz       each fuzzer for SECONDS=60 seconds
#   make hardware   build/tma-conformance, which asks a real GPU (needs nvcc; hardware/README.md)
#   make install    into PREFIX=/usr/local (DESTDIR is honoured)
#   make amalgamation  build/amalgamation/tma.c and tma.h
#   make format, make tidy, make clean
# On Debian 12, as root, each installs the packages that it needs first (tools/deps.sh).

JOBS    ?= $(shell nproc)
PREFIX  ?= /usr/local
SECONDS ?= 60

MAKEFLAGS += --no-print-directory

.PHONY: all demo test bench fuzz hardware install amalgamation format tidy clean

all:
	@tools/deps.sh build
	@tools/configure.sh build
	@cmake --build build -j $(JOBS)

demo: all
	@tools/demo.sh build/tma

test:
	@tools/deps.sh build test style fuzz
	@tools/test.sh $(JOBS)

bench:
	@tools/deps.sh build bench
	@tools/configure.sh build -D LIBTMA_BUILD_BENCH=ON
	@cmake --build build -j $(JOBS)
	@cmake --build build --target bench

fuzz:
	@tools/deps.sh build fuzz
	@tools/fuzz.sh $(SECONDS) $(JOBS)

hardware:
	@tools/deps.sh build
	@tools/configure.sh build -D LIBTMA_BUILD_HARDWARE=ON
	@cmake --build build -j $(JOBS) --target tma-conformance

install: all
	@cmake -S . -B build -D CMAKE_INSTALL_PREFIX=$(PREFIX) >/dev/null
	@cmake --build build -j $(JOBS)
	@cmake --install build

amalgamation:
	@tools/deps.sh build bench
	@/usr/bin/python3 tools/amalgamate.py build/amalgamation

format:
	@tools/deps.sh style
	@tools/format.sh

tidy:
	@tools/deps.sh build style
	@tools/configure.sh build
	@tools/tidy.sh build $(JOBS)

clean:
	@rm -rf build build-asan build-fuzz
