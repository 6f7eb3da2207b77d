# The doors to a fresh checkout. `make demo` and `make test` need nothing set up beforehand:
# Python 3.11 with venv, make and bash. Everything that they install lives in .venv, and the forum that
# cannot live with our packages in .venv-misago, from lock files with hashes; the system packages that
# the tests need are named in scripts/system-packages.

.NOTPARALLEL:
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# -qq: pip warns about every package when an index of the machine's own configuration is empty.
PIP := $(BIN)/pip --disable-pip-version-check -qq
# A real Misago for the tests: it pins what we pin otherwise.
MISAGO := .venv-misago
MISAGO_LOCK := tests/forums/misago-requirements.txt
# More options for pytest: make test T="tests/tags -x"
T ?=
# The forum to play on: make playground F=machina
F ?=

.PHONY: help demo playground test check fix lock upgrade wheel-check bench clean

help: ## Say what there is
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

demo: $(VENV)/ready-to-run ## Install, play a prepared round in a folder thread, show it
	@$(BIN)/referee demo

playground: $(VENV)/ready-to-test ## Install, start a real forum on loopback with the referee in it
	@$(BIN)/python scripts/playground.py $(F)

test: $(VENV)/ready-to-test ## Install and run all tests, real forum and database included
	@scripts/system-packages
	@$(BIN)/python -m pytest -n auto $(T)

check: $(VENV)/ready-to-test ## Lint, format, types, import directions, lock, house rules
	@scripts/check

fix: $(VENV)/ready-to-test ## Mend what a machine can
	@scripts/fix

lock: $(VENV)/ready-to-test ## Write the lock files anew after a change of dependencies
	@scripts/lock

upgrade: $(VENV)/ready-to-test ## Write the lock files with the newest releases
	@scripts/lock --upgrade

wheel-check: $(VENV)/ready-to-test ## Build the wheel and try it outside the checkout
	@$(BIN)/python -m pytest -q tests/test_wheel.py

bench: $(VENV)/ready-to-test ## Run every benchmark beside its yardstick
	@$(BIN)/python benchmarks/run.py

clean: ## Remove what was installed and built here
	rm -rf $(VENV) $(MISAGO) build dist benchmarks/showdown/node_modules .coverage
	find . -name __pycache__ -prune -exec rm -rf {} +

# A stamp is older than its lock file exactly when the lock has changed since the last install.
$(VENV)/ready-to-test: $(VENV)/locked-test $(VENV)/project $(MISAGO)/locked
	@touch $@

$(VENV)/ready-to-run: $(VENV)/locked-run $(VENV)/project
	@touch $@

$(VENV)/locked-test: requirements-dev.txt | $(BIN)/pip
	@echo "installing the locked packages for tests and tools (about a minute) ..."
	@$(PIP) install --require-hashes -r requirements-dev.txt
	@touch $@ $(VENV)/locked-run

# The test lock holds the run-time lock whole, so one stamp covers the other.
$(VENV)/locked-run: requirements.txt | $(BIN)/pip
	@echo "installing the locked packages ..."
	@$(PIP) install --require-hashes -r requirements.txt
	@touch $@

# Without it everything works but the tests that need it, which then say so.
$(MISAGO)/locked: $(MISAGO_LOCK) | $(BIN)/pip
	@echo "installing Misago for the tests that talk to a real one ..."
	@rm -rf $(MISAGO)
	@$(BIN)/python -m venv --without-pip $(MISAGO)
	@if $(PIP) --python $(MISAGO)/bin/python install --no-deps --require-hashes -r $(MISAGO_LOCK); then touch $@; \
	  else echo "Misago cannot be installed here; its tests will be skipped" >&2; rm -rf $(MISAGO); fi

# Editable: a change of the code needs no new install. A change of pyproject.toml may.
$(VENV)/project: pyproject.toml
	@$(PIP) install --no-deps --no-build-isolation --editable .
	@touch $@

$(BIN)/pip:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Python 3.11 or later is needed: make PYTHON=/path/to/python3.11 ..." >&2; exit 1; }
	@$(PYTHON) -m venv $(VENV) || { echo "Python's venv module is missing (Debian: apt-get install python3-venv)" >&2; exit 1; }
