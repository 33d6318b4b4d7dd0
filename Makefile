# The two commands of the README, and what they do:
#
#   make demo     install depyf and PyTorch into .venv, run examples/toy.py
#   make test     install the same and the test tools into .venv, run ruff, mypy and the quick tests: minutes
#
# and for contributors:
#
#   make check    make test and the slow tests (tests/slow_tests.txt): what must pass before a change lands
#   make docs     install the tools of the site into .venv, build it into site/; a warning is an error
#   make ratchet  decompile a sample of the standard library; fail if that got worse, or takes 3 % more calls
#   make stdlib   decompile the whole standard library
#   make cpython-tests  CPython's own tests on decompiled modules, a quarter of an hour
#   make growth   how the time grows with the size of the code
#   make versions every CPython from 3.8 on that is found here: a quick part of the tests and the ratchet, with it as
#                 host; then constructs in places, and a sample of benchmarks/results/versions.md, reading and proof
#   make matrix   small programs for all that torch.compile does, with and without depyf, on the torch of .venv
#   make clean    remove .venv
#
# Another interpreter: make test PYTHON=python3.12 VENV=.venv312

PYTHON ?= $(shell command -v python3.11 || command -v python3)
VENV ?= .venv
BIN = $(VENV)/bin
JOBS ?= 2
# Tests of one file share setups, so each file goes to one process; tests/conftest.py has the order.
PARALLEL = -n $(JOBS) --dist loadfile --no-loadscope-reorder

.PHONY: demo test check lint docs ratchet versions matrix stdlib cpython-tests growth clean

demo: $(VENV)/demo-installed
	$(BIN)/python examples/toy.py

test: lint
	$(BIN)/python -m pytest -q -m "not slow" $(PARALLEL)

check: test
	$(BIN)/python -m pytest -q -m slow $(PARALLEL)

lint: $(VENV)/test-installed
	$(BIN)/ruff check .
	$(BIN)/mypy

docs: $(VENV)/docs-installed
	rm -rf site
	$(BIN)/python -m sphinx --fail-on-warning --keep-going --quiet docs site

ratchet: $(VENV)/test-installed
	$(BIN)/python benchmarks/measure/roundtrip.py --stdlib --sample 150 -j $(JOBS) --show 5 --ratchet benchmarks/measure/ratchet.json
	$(BIN)/python benchmarks/measure/speed.py --calls --ratchet benchmarks/measure/calls.json

stdlib: $(VENV)/test-installed
	$(BIN)/python benchmarks/measure/roundtrip.py --stdlib -j $(JOBS) --show 10

cpython-tests: $(VENV)/test-installed
	$(BIN)/python benchmarks/measure/cpython_tests.py

growth: $(VENV)/test-installed
	$(BIN)/python benchmarks/measure/growth.py --large 20000

versions: $(VENV)/test-installed
	$(BIN)/python benchmarks/measure/on_every_python.py -j $(JOBS)
	$(BIN)/python benchmarks/attack/every_construct.py --sample 200 --all
	$(BIN)/python benchmarks/docs/versions_table.py --mutants 300 --functions 30 --files 25 --dry -j $(JOBS)

matrix: $(VENV)/demo-installed
	$(BIN)/python benchmarks/torch_compile/torch_matrix.py -j $(JOBS)

# Installed again only when pyproject.toml changes; the package itself is installed in place.
$(VENV)/demo-installed: pyproject.toml | $(BIN)/python
	@echo "installing depyf and PyTorch into $(VENV); the first time takes a minute or two"
	$(BIN)/python -m pip install --quiet --editable '.[torch]'
	@touch $@

$(VENV)/test-installed: pyproject.toml | $(BIN)/python
	@echo "installing depyf, PyTorch and the test tools into $(VENV); the first time takes a minute or two"
	$(BIN)/python -m pip install --quiet --editable '.[torch,test]'
	@touch $@

$(VENV)/docs-installed: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --editable '.[docs]'
	@touch $@

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

clean:
	rm -rf $(VENV)
