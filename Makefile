# SPDX-License-Identifier: Apache-2.0
#
# The common jobs, in front of CMake. Everything lands in build/ (and build-asan/, build-fuzz/,
# build-platform/, build-mutate/, build-coverage/).
#   make            build/tma and the libraries
#   make check      builds plain and runs the quick tests: 120 s from nothing on two cores, a minute
#                   where all is built; no root, no network
#   make check T=x  the tests whose name holds x: a test (ctest -N), a golden session
#   make test       everything that proves correctness, and the projects that consume the library: three
#                   minutes (L=label: of these tests those with it)
#   make sanitizers all of it once more, with clang's address and undefined sanitizers
#   make test-all   the sanitizers, what takes long, a browser or another processor's emulator besides
#   make platforms  other processors and systems: aarch64, s390x, riscv64, i686, musl, mingw-w64, each
#                   built by a cross compiler and run under an emulator (P=s390x: that one)
#   make mutate     breaks the code at random places and names the breaks that no test notices: hours
#                   (F=program/shim COUNT=60 SEED=1; W=16: 16 at once, as root)
#   make coverage   the lines of src/ that no test program reaches (F="src text")
#   make lint       format, clang-tidy, ruff; make format mends the first
#   make page       build/page/index.html: the libraries in one HTML file (needs clang and lld)
#   make demo       the main job, shown on a real map
#   make bench      what an encode and a decode cost
#   make bench-python  what the Python package's calls cost beside cuda.bindings', NumPy's and Triton's
#   make fuzz       each fuzzer for SECONDS=60 seconds (RECORD=1: counted in docs/evidence/fuzzing.md)
#   make hardware   build/tma-conformance, which asks a real GPU (needs nvcc; lab/hardware/README.md)
#   make install    into PREFIX=/usr/local (DESTDIR is honoured); as root it runs ldconfig
#   make dist       build/dist/libtma-VERSION.tar.gz of HEAD, the same bytes each time, built and tested
#   make release    build/release/libtma-VERSION/: all that a release uploads, each part tried; an hour
#                   (P="tarball page": those parts; DRY=1: says what it would make, and makes nothing)
#   make long       properties on a million specs, with sanitizers too; clang-tidy three times as deep;
#                   every call that a machine can refuse, refused in turn; every configuration of
#                   tools/configurations.sh, a static tma, Debian's packages and PyPI's wheels, tried
#                   in bare roots; a row of docs/evidence/conformance.md says that the configurations passed
#   make static     build-zig/TARGET/tma, one file that runs on any Linux: x86_64 and aarch64, by zig
#                   and musl
#   make amalgamation  build/amalgamation/tma.c and tma.h
#   make clean
#   make help       this list
# On Debian 12 and 13, as root, all but check install the packages that they need first (tools/deps.sh).

JOBS    ?= $(shell nproc)
PREFIX  ?= /usr/local
SECONDS ?= 60
T       ?=
P       ?=
DRY     ?=
F       ?= src text draw ask emulator ptx cli program/ptxas program/run program/dump program/runtime program/shim lab/hardware
COUNT   ?= 60
SEED    ?= 1
W       ?= 1

MAKEFLAGS += --no-print-directory

.PHONY: all static check test sanitizers test-all platforms mutate coverage lint page demo bench bench-python fuzz hardware install dist release long amalgamation format clean help

all:
	@tools/deps.sh build
	@tools/configure.sh build
	@cmake --build build -j $(JOBS)

check:
	@tools/check.sh $(JOBS) "$(T)"

test:
	@tools/deps.sh build test
	@tools/test.sh $(JOBS) $(if $(filter command line,$(origin L)),$(L))

sanitizers:
	@tools/deps.sh build test fuzz
	@tools/sanitizers.sh $(JOBS)

test-all:
	@tools/deps.sh build test fuzz browser platform
	@tools/test_all.sh $(JOBS)

platforms:
	@tools/deps.sh build test platform
	@tools/platforms.sh --jobs $(JOBS) $(P)

mutate:
	@tools/deps.sh build test
	@tools/python.sh -B tools/mutate.py --jobs $(JOBS) --count $(COUNT) --seed $(SEED) --workers $(W) $(F)

coverage:
	@tools/deps.sh build test
	@tools/python.sh -B tools/coverage.py --jobs $(JOBS) $(if $(filter command line,$(origin F)),$(F),src)

lint:
	@tools/deps.sh build test lint
	@tools/lint.sh $(JOBS)

page:
	@tools/deps.sh build page
	@tools/page.sh $(JOBS)

demo: all
	@tools/demo.sh build/tma

bench:
	@tools/deps.sh build bench
	@tools/configure.sh build -D LIBTMA_BUILD_BENCH=ON
	@cmake --build build -j $(JOBS)
	@cmake --build build --target bench

bench-python: export PYTHON_OPTIMIZED = 1
bench-python: all
	@LIBTMA_QUIET=1 LD_LIBRARY_PATH=build/stand-in \
		tools/python_package.sh build python lab/bench/bench_python.py build/lab/bench/python_yards.so
	@tools/python_package.sh build tools/python_with.sh triton==3.9.0 python lab/bench/bench_triton.py

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
	@if [ -z "$(DESTDIR)" ] && [ "$$(id -u)" = 0 ] && command -v ldconfig >/dev/null; then ldconfig; fi

dist:
	@tools/deps.sh build test
	@tools/dist.sh $(JOBS)

release: all
	@$(if $(DRY),,tools/deps.sh build test page)
	@tools/release.sh $(if $(DRY),--dry-run) --jobs $(JOBS) $(P)

static: all
	@tools/static.sh --jobs $(JOBS)

long: all
	@tools/deps.sh build test fuzz
	@tools/configure.sh build -D LIBTMA_BUILD_TESTS=ON
	@tools/compile.sh build $(JOBS)
	@TMA_TEST_SPECS=1000000 tools/test.sh $(JOBS) property
	@TMA_TEST_SPECS=1000000 tools/sanitizers.sh $(JOBS) property
	@FAIL_ALL=1 LIBTMA_EACH_PYTHON=1 ctest --test-dir build -j $(JOBS) --output-on-failure --no-tests=error -R "^(failing_|python_wheels$$)"
	@tools/configurations.sh --jobs $(JOBS) --record all
	@ctest --test-dir build -j $(JOBS) --output-on-failure --no-tests=error -L rare
	@ctest --test-dir build -j $(JOBS) --output-on-failure --no-tests=error -L '^drawn$$'
	@tools/sanitizers.sh $(JOBS) drawn
	@TIDY_NODES=225000 tools/tidy.sh build $(JOBS) || [ $$? = 77 ]
	@TMA_PTX_KERNELS=10000 tools/check.sh $(JOBS) ptx_oracle
	@TMA_PADDED_PAIRS=1000 tools/check.sh $(JOBS) emulate_padded
	@TMA_TENSOR_PRODUCTS=100000 tools/check.sh $(JOBS) tensor_products
	@tools/python.sh lab/hardware/emulator/mutants.py build/tma 400 1 --deletions
	@tools/static.sh --jobs $(JOBS) || [ $$? = 77 ]
	@tools/static.sh --jobs $(JOBS) x86_64-linux-gnu.2.28 aarch64-macos || [ $$? = 77 ]
	@tools/debian_packages.sh bookworm trixie || [ $$? = 77 ]
	@{ tools/wheels.sh && tools/wheel_roots.sh && tools/wheel_elsewhere.sh; } || [ $$? = 77 ]

amalgamation:
	@tools/deps.sh build
	@tools/python.sh tools/amalgamate.py build/amalgamation

format:
	@tools/deps.sh lint
	@tools/format.sh

help:
	@sed -n "3,/^$$/s/^# \{0,1\}//p" Makefile

clean:
	@rm -rf build build-asan build-fuzz build-platform build-mutate build-coverage build-zig
