# `make demo` shows Milepost at work, `make check` checks what is quick, `make test` everything; all
# of them set up .venv themselves.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet

.PHONY: demo check test lint types layers tests docs guest dist site constraints install-hashed clean

demo: $(VENV)/installed
	$(BIN)/python examples/demo.py

test: lint types layers tests

# For the inner loop, within 90 s: neither surfaces nor sandbox, nor what is marked as slow.
check: lint types layers guest
	$(BIN)/pytest -n 2 -rfEs -m "not slow" tests/unit tests/contract tests/acceptance

lint: $(VENV)/installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/installed-dev
	$(BIN)/mypy

layers: $(VENV)/installed-dev
	$(BIN)/lint-imports

tests: guest
	sh tests/surfaces/node/install.sh
	sh tests/dashboard/install.sh
	$(BIN)/pytest -n 2 -rfEs --cov --cov-report=term

docs: guest
	$(BIN)/python bench/answers.py
	$(BIN)/python -m milepost.surfaces.reference docs/reference

# All that is published: both distributions, their bill of materials, checksums.
dist: guest
	$(BIN)/python release/build.py dist

# The documentation as plain files; fails when a link leads nowhere.
site: $(VENV)/installed-dev
	$(BIN)/python release/website.py build/site

# What programs run in is made anew when its sources have changed.
guest: $(VENV)/installed-dev
	$(BIN)/python guest/hatch_build.py

# Pins what pyproject.toml asks for, with the hashes of every platform's files; needs uv. What is
# pinned already stays: `make constraints UPGRADE=--upgrade` takes the newest.
constraints:
	uv pip compile pyproject.toml --all-extras --universal --python-version 3.11 --generate-hashes \
		--no-header --no-annotate --no-emit-index-url --no-emit-package milepost-guest --quiet $(UPGRADE) -o constraints.txt

# Everything, the build's own tools included, and nothing whose hash is not in constraints.txt.
install-hashed: $(VENV)/bin/python
	$(PIP) install --require-hashes -r constraints.txt
	$(PIP) install --no-deps --no-build-isolation . ./guest

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

# The same versions without hashes, which pip does not take together with an editable install.
$(VENV)/versions.txt: $(VENV)/bin/python constraints.txt
	sed -n 's/ *\\$$//; /==/p' constraints.txt > $@

$(VENV)/installed: $(VENV)/versions.txt pyproject.toml
	$(PIP) install -c $(VENV)/versions.txt -e .
	$(BIN)/python -m compileall -q src
	touch $@

$(VENV)/installed-dev: $(VENV)/installed guest/pyproject.toml
	$(PIP) install -c $(VENV)/versions.txt -e guest -e ".[dev]"
	touch $@

clean:
	rm -rf $(VENV)
