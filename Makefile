# What a clone can do. Plain `make` lists the targets; the first of them makes .venv, later ones start in seconds.

VENV := .venv
BIN := $(VENV)/bin

# Set on the command line: make app PORT=8600, make app PYTHON=python3.12, make test ARGS="tests/data -x",
# make test PROSET_BROWSER=/path/to/chrome, make test PROSET_BROWSER=none (leaves the browser tests out),
# make test PROSET_POSTGRES=none (leaves out those against a database server),
# make test WORKERS=0 (one process; a debugger needs that).
PYTHON ?=
PORT ?=
ARGS ?=
WORKERS ?= 3
PROSET_BROWSER ?=
PROSET_POSTGRES ?=
export PROSET_BROWSER PROSET_POSTGRES

# Three processes, also on two processors: a quarter of the time tests wait, for browsers and work of others. Each
# holds the libraries, a few hundred MiB. Some hundred tests start a Python of their own, which would compile the package
# each time if what is compiled were not kept.
PYTEST = PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest -n $(WORKERS) --dist=worksteal

# Finds a browser and a database server, or installs them.
PROVIDED = browser=$$($(BIN)/python tools/browser.py) && PROSET_BROWSER="$$browser" \
	PROSET_POSTGRES="$$($(BIN)/python tools/postgres.py)"

.DEFAULT_GOAL := help
.PHONY: help app test complete coverage exhaustive environments check bench benchmarks rivals arena tables companions clean FORCE

help:  ## show this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "make %-12s %s\n", $$1, $$2}' Makefile

app: $(VENV)/.app  ## start the dashboard on 127.0.0.1 (PORT=8600 for a port of your own)
	@echo "Starting the dashboard; point a browser at the address below. Stop it with Ctrl+C."
	@exec $(BIN)/python -m streamlit run dashboard/server.py $(if $(PORT),--server.port=$(PORT))

test: $(VENV)/.test  ## run all tests but the slow ones, in a real browser as well: about ten minutes (ARGS="..." goes to pytest)
	@$(PROVIDED) $(PYTEST) $(ARGS)

complete: $(VENV)/.test  ## run every test, as continuous integration does (half an hour)
	@$(MAKE) --no-print-directory test ARGS="-m 'not exhaustive' $(ARGS)"

coverage:  ## the same, and print which lines no test has reached (takes half as long again)
	@$(MAKE) --no-print-directory complete ARGS="--cov --cov-report=term:skip-covered $(ARGS)"

exhaustive: $(VENV)/.test  ## run the variants of checks that `make complete` leaves out (minutes)
	@$(PROVIDED) $(PYTEST) -m exhaustive $(ARGS)

environments: $(VENV)/.test  ## try the engine with its oldest dependencies, and without extras under each Python (minutes; less with ARGS=--brief)
	$(BIN)/python tools/environments.py $(ARGS)

check: $(VENV)/.dev  ## check style, types and which way imports go
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: $(VENV)/.benchmarks  ## fit the problems of the quality table and print it (minutes)
	$(BIN)/python -m benchmarks.quality $(ARGS)

arena: $(VENV)/.benchmarks  ## ours on tables of TabArena that are at hand, beside the published best (half an hour; resumes)
	$(BIN)/python -m benchmarks.arena $(ARGS)

tables: $(VENV)/.benchmarks  ## run what is missing of the report's study and write benchmarks/tables.md (up to an hour)
	$(BIN)/python -m benchmarks.report_tables $(ARGS)

benchmarks: $(VENV)/.benchmarks  ## the published package and XGBoost beside ours, growth, searches (hours; resumes; ARGS=--fresh)
	$(BIN)/python -m benchmarks.speed $(ARGS)
	$(BIN)/python -m benchmarks.same_candidates $(ARGS)
	$(BIN)/python -m benchmarks.scaling $(ARGS)
	$(BIN)/python -m benchmarks.search $(ARGS)

rivals: $(VENV)/.benchmarks  ## ours beside XGBoost, EBM and others on 28 public sets (hours; resumes; ARGS=--help)
	$(BIN)/python -m benchmarks.rivals $(ARGS)

companions: $(VENV)/.benchmarks  ## the published tables of the companion methods beside ours (hours; resumes; ARGS=--fresh)
	$(BIN)/python -m benchmarks.pvm_tables $(ARGS)
	$(BIN)/python -m benchmarks.pvm_speed $(ARGS)
	$(BIN)/python -m benchmarks.smp_tables $(ARGS)
	$(BIN)/python -m benchmarks.gbmap_tables $(ARGS)

clean:  ## remove .venv, .peers, .rivals and everything that was made from the sources
	rm -rf $(VENV) $(VENV)-* .peers .rivals build dist ./*.egg-info .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis .coverage* htmlcov
	find proset dashboard tests benchmarks tools sample_data -name __pycache__ -type d -prune -exec rm -rf {} + 2>/dev/null || true

# One environment for all. Each stamp stands for one extra and is made again when the requirements or the environment
# change; `test` holds all of `app`, and `dev` all of `test`.
$(VENV)/.%: pyproject.toml constraints.txt tools/install.py $(VENV)/pyvenv.cfg
	@echo "Installing pinned packages ($*) into $(VENV); the first time this takes a few minutes."
	@$(BIN)/python tools/install.py $*
	@touch $@ $(if $(filter test dev,$*),$(VENV)/.app) $(if $(filter dev,$*),$(VENV)/.test)

$(VENV)/pyvenv.cfg: FORCE
	@sh tools/venv.sh $(VENV) $(PYTHON)

FORCE:
