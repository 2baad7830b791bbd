# Front door of aleplot-py: two commands matter, `make figures` and `make test`.

VENV := .venv
VENV_OLDEST := .venv-oldest
VENV_NEWEST := .venv-newest
VENV_ESTIMATORS := .venv-estimators
VENV_PEERS := .venv-peers
PY := $(VENV)/bin/python
WORKERS ?= 2
PYTEST_ARGS ?=
CASES ?= 2000
SEED ?= 1
ESTIMATORS ?= catboost torch

.DEFAULT_GOAL := help
.PHONY: help setup r r-cran webr figures figures-quick lab docs test test-oldest test-newest test-estimators validate benchmarks lint clean

help: ## show this list
	@echo "aleplot-py: accumulated local effects equal to R's"
	@echo
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-15s %s\n", $$1, $$2}' $(MAKEFILE_LIST)
	@echo
	@echo "  PYTHON=...            the Python (3.11 or newer) that 'make setup' builds on"
	@echo "  WORKERS=$(WORKERS)             processes for the tests;  PYTEST_ARGS=... more arguments for pytest"
	@echo "  CASES=$(CASES) SEED=$(SEED)     random cases of 'make validate'"
	@echo "  ESTIMATORS=$(ESTIMATORS)   packages of 'make test-estimators' (torch may want a pin)"
	@echo "  ALEPLOT_REQUIRE_R=1   a tier of R that cannot run fails instead of being skipped"
	@echo "  HYPOTHESIS_PROFILE=nightly   many more random cases"

setup: $(VENV)/.stamp-setup ## create .venv and install the package with the extras figures and dev

$(VENV)/.stamp-setup: pyproject.toml .ci/create_venv.sh
	@bash .ci/create_venv.sh $(VENV)
	@touch $@

r: setup ## install R, its model packages and the rpy2 that fits (skipped with a reason where impossible)
	@bash validation/install/r.sh $(VENV)

r-cran: r ## also ALEPlot, yaImpute and iml into your own R library (CRAN, its archive, conda-forge)
	@bash validation/install/r_cran.sh

webr: setup ## install webr, a second R that runs in Node (skipped with a reason where impossible)
	@bash validation/install/webr.sh $(VENV)

figures: setup ## regenerate every figure into paper_figures and compare with R
	$(PY) -m reproductions

figures-quick: setup ## a quick check of the figures, as continuous integration runs it
	$(PY) -m reproductions --check

lab: setup ## build the laboratory (paper_figures/lab.html) and check its arithmetic in Node
	$(PY) -m reproductions.lab

docs: setup ## build the manual into site/html (its pages and notebooks run; a broken link ends it)
	$(PY) -m pip install --quiet --editable '.[docs]'
	$(PY) -m sphinx --fail-on-warning --keep-going --quiet --jobs $(WORKERS) -d $(VENV)/doctrees docs site/html

test: setup r webr lint ## lint, types and all tests, live R included; ends with the table of parity
	$(PY) -m pytest -n $(WORKERS) $(PYTEST_ARGS)

validate: setup r webr ## compare with R on random cases and write paper_figures/validation
	$(PY) -m pytest validation -n $(WORKERS) -q --parity-json $(VENV)/parity.json \
	    -m "(stored or base_r or r_models or aleplot_r or iml_r or webr) and not nightly"
	$(PY) -m validation --cases $(CASES) --seed $(SEED) --jobs $(WORKERS) \
	    --tiers $(VENV)/parity.json --report paper_figures/validation

benchmarks: setup ## what effects cost beside peers (in an environment of their own) and 0.1.0
	$(PY) -m validation.benchmarks

test-oldest: ## the tests that need no R, on the oldest supported numpy, pandas, scikit-learn, ...
	@bash .ci/test_versions.sh oldest $(VENV_OLDEST) $(WORKERS) $(PYTEST_ARGS)

test-newest: ## the same tests on the newest Python found (3.13 or later)
	@bash .ci/test_versions.sh newest $(VENV_NEWEST) $(WORKERS) $(PYTEST_ARGS)

test-estimators: ## the models of docs/pages/estimators.md, those of CatBoost and PyTorch included
	@bash .ci/create_venv.sh $(VENV_ESTIMATORS)
	@$(VENV_ESTIMATORS)/bin/python -m pip install --quiet $(ESTIMATORS)
	$(VENV_ESTIMATORS)/bin/python -m pytest tests/test_estimators.py -m "nightly or not nightly" $(PYTEST_ARGS)

lint: setup ## ruff (rules and format), mypy, typing snippets, contracts between rooms (import-linter)
	$(PY) -m ruff check .
	$(PY) -m ruff format --check .
	$(PY) -m mypy
	$(PY) tests/typing/check.py
	$(VENV)/bin/lint-imports --no-cache --no-logo

clean: ## remove the environments and everything generated except paper_figures
	rm -rf $(VENV) $(VENV_OLDEST) $(VENV_NEWEST) $(VENV_ESTIMATORS) $(VENV_PEERS) build dist site docs/generated .pytest_cache .ruff_cache .mypy_cache .hypothesis .coverage *.egg-info
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
