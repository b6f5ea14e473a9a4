# Every target sets itself up in .venv and build/ below this folder. It needs only Linux, python3 (3.11 or
# newer) with pip and venv, gcc, make and git.
#
#   make demo          train a small model, watch it, and look at demo.png
#   make test          a tenth of the rows of long tables, and no long test: some minutes
#   make test WHOLE=1  all tests and doctests but the slow ones       make test-all    the slow ones too
#   make test-oldest   the tests on the oldest Python, NumPy, SciPy and ml-dtypes that pyproject.toml allows
#   make test-pythons  the tests on every other Python from 3.11 on that this machine has
#   make test-clang    the tests over a build by clang: CLANG=clang-16
#   make lint          ruff: rules and layout                         make format      mend what it can
#   make types         mypy --strict
#   make bench         the benchmarks, beside the peers               make docs        HTML into site/
#                      one of them: make bench BENCH="cnn --quick"; BENCH=--help says what there is
#                      everybody on narrower vectors: make bench BENCH="models answer_resnet50 --installed" LEVEL=avx2
#   make bench-instructions     what valgrind counts for three small workloads, or OPS="exp argmax"
#   make bench-busy    a Gaussian process step, alone and beside programs that take every processor
#   make report        docs/performance.md and the README's figures, from the last whole make bench
#   make debug         the tests over a core with bounds checks       make in-place    compile beside the sources
#   make sanitize      the tests under gcc's address and undefined behaviour sanitizers
#   make keras-tests   Keras's own tests on tapegrad, or some: KERAS="layers/core ops/nn_test.py --jobs 4"
#   make array-api-tests   the array API standard's own tests: SUITE=path/to/array-api-tests ARRAY_API="--max-examples=50"
#   make wheels        a wheel for every Python from 3.11 on that this machine has, into dist/, and tried: WHEELS="3.12"
#   make release-check all of a release that this machine can check, and what only a person can do; after make wheels
#   make reproducible  build a wheel of `make wheels` again elsewhere, and compare the bits: WHEELS="3.12"
#   make test-arm64    compile for 64-bit ARM, and run tests there under qemu: ARM64="tests/core -x"
#   make cross         compile every C file for macOS, Windows, ARM and musl, and link for Linux: TARGETS="aarch64-macos"
#   make cross-check   the same for macOS and Windows in less than two minutes: the C of Cython's is parsed and checked
#   make fuzz          malformed calls: SEED=4711 MINUTES=30
#   make stubs         the types of public names, into src/ for editors; make types and make in-place write them too
#   make clean         forget everything made here

PYTHON ?= python3
# Arguments for pytest, as in: make test PYTEST="-k tanh -x". Then no row is left out.
PYTEST ?=
# Anything makes `make test` leave out nothing but the slow tests, as continuous integration does.
WHOLE ?=
# Test processes; 0 runs everything in one.
WORKERS ?= 2
# The widest vectors that `make bench` lets anybody use: avx2. Without it all that the processor has.
LEVEL ?=
# Arguments of `make keras-tests`.
KERAS ?=
# A clone of github.com/data-apis/array-api-tests with its submodule, and pytest's arguments, for `make array-api-tests`.
SUITE ?=
ARRAY_API ?=
# The seed of `make fuzz`, and for how long it runs; without a seed each run takes a new one.
SEED ?=
MINUTES ?= 10
# The Pythons of `make wheels`; without it all that this machine has.
WHEELS ?=
# What `make cross` compiles for; without it all that tools/cross_compile.py names.
TARGETS ?=
# What `make cross-check` looks at: the systems on which nothing of ours was run.
CHECKED := x86_64-macos aarch64-macos x86_64-windows-gnu aarch64-windows-gnu
# Arguments for pytest in `make test-arm64`; without them some rooms are tested.
ARM64 ?=
# The compiler of `make test-clang`.
CLANG ?= clang

# Relative paths, because make cannot quote a space in the path of the checkout.
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet install
# Meson looks for ninja on the PATH.
export PATH := $(CURDIR)/$(BIN):$(PATH)
export PYTHONNOUSERSITE := 1
# Matplotlib and Keras write settings when they are imported: into this folder too. The user's own change no test.
export MPLCONFIGDIR := $(CURDIR)/build/matplotlib
export KERAS_HOME := $(CURDIR)/build/keras
# Without its bytecode each process compiles the tests again: half of the time to collect them.
unexport PYTHONPATH PYTHONDONTWRITEBYTECODE

SOURCES := $(shell find src ! -path src/tapegrad/names.py -name '*.py' -o -name '*.py[x]' -o -name '*.pxd' -o -name '*.h' -o -name '*_kernels.c' -o -name '*.gz' -o -name '*.txt' -o -name meson.build)
# The stubs of compiled modules. The build makes the others, which may be here too.
STUBS_BY_HAND := $(wildcard $(patsubst %.pyx,%.pyi,$(filter %.pyx,$(SOURCES))))
SOURCES += $(STUBS_BY_HAND) meson.build meson.options pyproject.toml \
           $(addprefix tools/,list_package_files.py translate.py write_names.py write_stubs.py write_types.py)
# The list of sources. A deleted or new file changes the list, and then the package is installed again.
$(shell mkdir -p build; echo $(sort $(SOURCES)) | cmp -s - build/sources || echo $(sort $(SOURCES)) > build/sources)

# pip knows -C, and several values for one setting, from 23.1 on; Debian 12 has 23.0.
# Without build isolation pip keeps one build folder, so that only what changed is compiled again. ninja compiles on
# all processors, and pip shows ninja's progress only with --verbose. With `strict`, what newer compilers refuse is an
# error with any compiler: incompatible pointer types above all.
INSTALL := $(BIN)/python tools/with_progress.py $(BIN)/python -m pip --disable-pip-version-check --verbose install \
           --no-build-isolation --no-deps -Csetup-args=-Dstrict=true
MINUTES_TO_BUILD := compiling takes a minute or two the first time, and seconds after an edit
QUICK := $(if $(WHOLE)$(PYTEST),,--quick)
TESTS := tests README.md docs --pyargs tapegrad --doctest-modules --doctest-glob='*.md'

.PHONY: stubs demo test test-all test-oldest test-pythons test-clang keras-tests array-api-tests fuzz lint format types bench bench-instructions \
        bench-busy report docs debug sanitize wheels release-check reproducible test-arm64 cross cross-check in-place clean
.DELETE_ON_ERROR:

.venv/.ready: pyproject.toml
	@$(PYTHON) tools/check_machine.py
	@echo "all of this stays in this folder: first what the build needs, some 70 MB, into .venv; then $(MINUTES_TO_BUILD)"
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@mkdir -p build
	@$(BIN)/python -c 'import tomllib; table = tomllib.load(open("pyproject.toml", "rb")); print(*table["build-system"]["requires"], *table["project"]["dependencies"], "ninja", "pip>=23.1", sep="\n")' > build/requirements
	@$(PIP) -r build/requirements
	@touch $@

.venv/.installed: .venv/.ready build/sources $(SOURCES)
	@echo "building and installing tapegrad into .venv: $(MINUTES_TO_BUILD)"
	@$(INSTALL) -Cbuild-dir=build/release .
	@touch $@

# The extras of pyproject.toml: one stamp file for each.
.venv/.extra-%: .venv/.ready
	@echo "installing what 'make $*' needs"
	@$(BIN)/python -c 'import sys, tomllib; print(*tomllib.load(open("pyproject.toml", "rb"))["project"]["optional-dependencies"]["$*"], sep="\n")' > build/requirements-$*
	@$(PIP) -r build/requirements-$*
	@touch $@

demo: .venv/.installed .venv/.extra-demo
	$(BIN)/python examples/demo.py

.venv/.keras: .venv/.ready tools/install_keras.py
	@echo "installing Keras into .venv/keras"
	@$(BIN)/python tools/install_keras.py
	@touch $@

test: .venv/.installed .venv/.extra-test .venv/.keras
	@$(if $(QUICK),echo "a part of the tests: some three minutes on two processors. All of them: make test WHOLE=1")
	@$(BIN)/python -m pytest $(TESTS) -n $(WORKERS) -m "not slow" $(QUICK) $(PYTEST)

test-all: .venv/.installed .venv/.extra-test .venv/.keras
	@$(BIN)/python -m pytest $(TESTS) -n $(WORKERS) $(PYTEST)

# Both have environments and build folders of their own, where NumPy may be another version than in .venv.
test-oldest test-pythons: test-%:
	@$(PYTHON) tools/run_tests_on.py $* $(TESTS) -n $(WORKERS) -m "not slow" $(PYTEST)

test-clang: .venv/.installed .venv/.extra-test .venv/.keras
	@echo "building tapegrad with $(CLANG)"
	@rm -rf build/clang-package
	@CC=$(CLANG) $(INSTALL) -Cbuild-dir=build/clang --target build/clang-package .
	@PYTHONPATH=build/clang-package $(BIN)/python -m pytest $(TESTS) -n $(WORKERS) -m "not slow" $(PYTEST)

fuzz: .venv/.installed .venv/.extra-test
	@$(BIN)/python tests/fuzz.py $(if $(SEED),--seed $(SEED)) --minutes $(MINUTES)

lint: .venv/.extra-lint
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

format: .venv/.extra-lint
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

types: stubs .venv/.extra-lint
	@$(BIN)/python tools/write_names.py --table src/tapegrad/names.py
	$(BIN)/mypy

bench: .venv/.installed .venv/.keras
	@$(BIN)/python -m benchmarks $(BENCH) $(if $(LEVEL),--level $(LEVEL))

bench-instructions: .venv/.installed
	@$(BIN)/python -m benchmarks.instructions $(OPS)

bench-busy: .venv/.installed
	@$(BIN)/python -m benchmarks.busy $(BENCH)

report: .venv/.installed
	@$(BIN)/python -m benchmarks.report

# Those of the installed package, which says what the ops take and give.
stubs: .venv/.installed
	@$(BIN)/python tools/write_stubs.py src/tapegrad

docs: .venv/.installed .venv/.extra-docs
	@NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet --site-dir site
	@echo "site/index.html"

debug: .venv/.installed .venv/.extra-test .venv/.keras
	@echo "building tapegrad with bounds checks: $(MINUTES_TO_BUILD)"
	@rm -rf build/checked-package
	@$(INSTALL) -Cbuild-dir=build/checked -Csetup-args=-Dchecked=true --target build/checked-package .
	@PYTHONPATH=build/checked-package $(BIN)/python -m pytest $(TESTS) -n $(WORKERS) -m "not slow" $(PYTEST)

sanitize: .venv/.installed .venv/.extra-test .venv/.keras
	@echo "building tapegrad with the address and undefined behaviour sanitizers: $(MINUTES_TO_BUILD)"
	@rm -rf build/sanitized-package
	@$(INSTALL) -Cbuild-dir=build/sanitized -Csetup-args=-Db_sanitize=address,undefined -Csetup-args=-Db_lundef=false \
	    -Csetup-args=-Dbuildtype=debugoptimized -Csetup-args=-Dc_args=-fsanitize=float-cast-overflow \
	    --target build/sanitized-package .
	@$(BIN)/python tools/sanitize.py build/sanitized-package tests -n $(WORKERS) -m "not slow" $(PYTEST)

wheels:
	@$(PYTHON) tools/make_wheels.py dist $(WHEELS)

release-check:
	@$(PYTHON) tools/check_release.py dist

reproducible:
	@$(PYTHON) tools/compare_builds.py dist $(WHEELS)

test-arm64:
	@$(PYTHON) tools/run_on_arm64.py $(ARM64)

cross: .venv/.installed .venv/.extra-cross
	@$(BIN)/python tools/cross_compile.py build/release $(TARGETS)

cross-check: .venv/.installed .venv/.extra-cross
	@$(BIN)/python tools/cross_compile.py --check build/release $(CHECKED)

keras-tests: .venv/.ready
	$(BIN)/python tools/run_keras_tests.py $(KERAS)

array-api-tests: .venv/.installed .venv/.extra-array-api
	$(BIN)/python tools/run_array_api_tests.py "$(SUITE)" $(ARRAY_API)

in-place: .venv/.ready
	$(BIN)/python tools/build_in_place.py

clean:
	rm -rf .venv .venv-* build dist site src/tapegrad/names.py demo.png bench.json
	rm -rf .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find src -name '*.so' -delete
	rm -f $(filter-out $(STUBS_BY_HAND),$(shell find src -name '*.pyi'))
	find src -type d -empty -delete
	find . -name __pycache__ -prune -exec rm -rf {} +
