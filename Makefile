# `make demo` shows Milepost at work, `make test` checks everything; both set up .venv themselves.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet

.PHONY: demo test lint types layers tests docs clean

demo: $(VENV)/installed
	$(BIN)/python examples/demo.py

test: lint types layers tests

lint: $(VENV)/installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/installed-dev
	$(BIN)/mypy

layers: $(VENV)/installed-dev
	$(BIN)/lint-imports

tests: $(VENV)/installed-dev
	$(BIN)/python hatch_build.py
	sh tests/surfaces/node/install.sh
	$(BIN)/pytest -n 2

docs: $(VENV)/installed
	$(BIN)/python -m milepost.surfaces.reference docs/reference

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/installed: $(VENV)/bin/python pyproject.toml constraints.txt
	$(PIP) install -c constraints.txt -e .
	$(BIN)/python -m compileall -q src
	touch $@

$(VENV)/installed-dev: $(VENV)/installed
	$(PIP) install -c constraints.txt -e ".[dev]"
	touch $@

clean:
	rm -rf $(VENV)
