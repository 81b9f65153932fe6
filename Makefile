# `make` lists the targets. Every target makes the environment first when it has to; nothing is installed by hand.
SHELL := /bin/bash
BIN := .venv/bin
PYTEST_ARGS ?=
# Each test waits for dozens of synced commits: its files are in memory where that has room for them, else on disk.
MEMORY = $(shell df --output=avail /dev/shm 2>/dev/null | awk 'NR == 2 && $$1 > 4000000 { print "/dev/shm" }')
# Java servers of tests live for a minute: their second compiler took an eighth of all CPU time and gave nothing back, and
# the verification of their classes a tenth of a start. With one compiler the code cache has 48 MB, which the Spark server
# of a whole run filled.
JAVA = -XX:TieredStopAtLevel=1 -XX:ReservedCodeCacheSize=240m -XX:+UnlockDiagnosticVMOptions -XX:-BytecodeVerificationRemote
# A test that is stuck in native code gets no signal, so that its own limit (at most 600 s) can't end it: its process
# ends with the stacks of all threads, and xdist starts another.
STUCK = -o faulthandler_timeout=660 -o faulthandler_exit_on_timeout=true
export PATH := $(CURDIR)/$(BIN):$(PATH)  # Node and npm come from the environment too
.DEFAULT_GOAL := help
unexport PYTHONDONTWRITEBYTECODE  # the tests start hundreds of processes: each would compile all that it imports
.PHONY: help setup demo demo-native demo-v3 demo-paimon demo-hive up console screenshots test test-deep test-upgrade durations unit check check-code check-unit check-console fmt openapi sdk release-check packages image deploy-check deploy-cluster spark-versions foreign-clients audit test-airflow test-dagster test-terraform
.PHONY: house site simulate jars mutants
.PHONY: fuzz fuzz-v3 fuzz-api fuzz-viewer fuzz-admin fuzz-tables fuzz-writers fuzz-upkeep fuzz-paimon fuzz-paimon-writers fuzz-hive fuzz-parsers fuzz-compiled defences

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z%-]+:.*## / {printf "  make %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)
	@for script in bench/[a-z]*.py bench/[a-z]*/__main__.py; do \
	  name="$${script#bench/}"; name="$${name%/__main__.py}"; printf '  make bench-%s\n' "$${name%.py}"; done

setup: ## Make .venv from the lock; Java, Redis, Postgres and Chromium as Debian packages where they are missing
	@scripts/setup test

demo: ## Compact a real Iceberg table of hundreds of small files and prove the result (about 3 minutes)
	@scripts/setup demo
	@$(BIN)/python scripts/demo

demo-native: ## Let Iceberg's own procedure compact a table with bloom filters, and prove the result
	@scripts/setup demo
	@$(BIN)/python scripts/demo/native.py

demo-v3: ## Compact a table of format version 3, and prove that every row keeps its id and sequence number
	@scripts/setup demo
	@$(BIN)/python scripts/demo/v3.py

demo-paimon: ## Merge the sorted runs of a Paimon table with updates, and prove that every key keeps its value
	@scripts/setup demo
	@$(BIN)/python scripts/demo/paimon.py

demo-hive: ## Move the partitions of a Hive table to folders with fewer files, beside a reader and a writer
	@scripts/setup demo
	@PYTHONPATH=. $(BIN)/python scripts/demo/hive.py

up: ## Start API, console, coordinator, worker, Redis and Spark on this machine, until Ctrl-C
	@scripts/setup demo
	@scripts/console --try
	@$(BIN)/packhouse-server up

screenshots: ## Take the pictures of docs/reference/console.md from a real stack (about 3 minutes)
	@scripts/setup test
	@scripts/console
	@$(BIN)/python scripts/screenshots

console: ## Build the web console, which the api serves at /console
	@scripts/setup demo
	@scripts/console

# Two packages print notices about later versions of MkDocs, which is pinned. `--quiet` would hide warnings from `strict` as well.
SITE = NO_MKDOCS_2_WARNING=1 DISABLE_MKDOCS_2_WARNING=true $(BIN)/mkdocs build

SUITE = PYTEST_DEBUG_TEMPROOT=$(MEMORY) JDK_JAVA_OPTIONS='$(JAVA)' PACKHOUSE_DURATIONS=.cache/durations.tsv \
  $(BIN)/pytest -n 4 $(STUCK)

test: ## Run all tests that are not marked deep, with real Redis, SQLite, Postgres, Spark and Iceberg
	@scripts/setup test
	@scripts/console
	@$(BIN)/python -m tests.support.jars
	@$(SUITE) -m "not deep" $(PYTEST_ARGS)

test-deep: ## Run every test with long random parts: before a release and every night (about 70 minutes)
	@scripts/setup upgrade
	@scripts/console
	@$(BIN)/python -m tests.support.jars
	@PACKHOUSE_DEEP=1 $(SUITE) $(PYTEST_ARGS)

test-airflow: ## Run the Airflow provider in a real Airflow whose tasks, workers and triggerers are killed (seven minutes)
	@scripts/setup airflow
	@cd clients/airflow && ../../.cache/airflow/bin/mypy
	@cd clients/airflow && AIRFLOW_HOME=$(CURDIR)/.cache/airflow-home ../../.cache/airflow/bin/pytest -q $(PYTEST_ARGS)

test-dagster: ## Run the Dagster integration with a real server (two minutes)
	@scripts/setup dagster
	@cd clients/dagster && ../../.cache/dagster/bin/mypy
	@cd clients/dagster && ../../.cache/dagster/bin/pytest -q $(PYTEST_ARGS)

test-terraform: ## Run the provider with a real OpenTofu and a real server (three minutes; the first time builds OpenTofu, some minutes)
	@scripts/setup terraform
	@cd clients/terraform && export PATH="$(CURDIR)/.cache/go/bin:$$PATH" && test -z "$$(gofmt -l . | tee /dev/stderr)" \
	  && go vet ./... && go test ./... && go build -o ../../.cache/terraform/ .
	@PYTHONPATH=. $(BIN)/pytest -q clients/terraform/tests $(PYTEST_ARGS)

test-upgrade: ## Upgrade a deployment of the last release under live runs, and go back to it (two minutes; the first time installs it)
	@scripts/setup upgrade
	@$(BIN)/pytest -q -n 0 $(STUCK) tests/upgrade $(PYTEST_ARGS)

house: ## Trace one run and print its modules; fail when a figure of the tree is above its limit (half a minute)
	@scripts/setup test
	@PYTHONPATH=. $(BIN)/python scripts/house

durations: ## Print where the seconds of the last `make test` went, by folder, file, test and fixture
	@$(BIN)/python scripts/durations .cache/durations.tsv

unit: ## Run the unit tests only
	@scripts/setup test
	@$(BIN)/pytest -q tests/unit $(PYTEST_ARGS)

check: ## Format, lint, types, layers, drift, unit tests (about two minutes)
	@scripts/setup test
	@$(MAKE) --no-print-directory --jobs=2 --output-sync check-code check-unit check-console

check-code:
	@$(BIN)/ruff format --check --quiet .
	@$(BIN)/ruff check --quiet .
	@$(BIN)/mypy
	@$(BIN)/lint-imports --no-logo
	@$(BIN)/python -m api openapi --check
	@$(BIN)/python -m api policy-schema --check
	@$(BIN)/python -m api settings --check
	@PYTHONPATH=. $(BIN)/python scripts/features --check
	@PYTHONPATH=. $(BIN)/python scripts/site/reference.py --check
	@PYTHONPATH=. $(BIN)/python deploy/helm/generate.py --check
	@$(BIN)/python clients/generate.py --check
	@$(BIN)/python clients/terraform/generate.py --check
	@npm --prefix clients/typescript --silent run generate -- --check
	@npm --prefix scripts/openapi --silent run lint
	@$(BIN)/python scripts/prose
	@scripts/compiled check
	@$(SITE)

check-unit:
	@$(BIN)/pytest -q tests/unit

check-console:
	@npm --prefix clients/console --silent run check
	@npm --prefix clients/console --silent test

site: ## Build the documentation as a site into .cache/site; fail on a dead link, an anchor or a page outside of the navigation
	@scripts/setup test
	@$(SITE)

release-check: ## Before a release: vulnerabilities, then packages in clean environments, then every test (about two hours)
	@scripts/setup test
	@$(BIN)/python scripts/audit
	@$(MAKE) --no-print-directory packages foreign-clients deploy-check check test-deep

deploy-check: ## Render the Helm chart with many values and check all objects; run the action for CI (a minute or two; the first time builds helm, some minutes)
	@scripts/setup deploy
	@PACKHOUSE_DEPLOY=1 $(BIN)/pytest -q tests/deploy --ignore tests/deploy/test_chart_installs.py --ignore tests/deploy/test_monitoring_stack.py $(PYTEST_ARGS)

deploy-cluster: ## Install and upgrade the chart on a real API server, without nodes (a minute; the first time builds it, ten minutes)
	@scripts/setup cluster
	@PACKHOUSE_DEPLOY=1 $(BIN)/pytest -q tests/deploy/test_chart_installs.py $(PYTEST_ARGS)

packages: ## Build the packages and try each in an environment of its own, as who installs them does (about five minutes)
	@scripts/setup test
	@scripts/console
	@$(BIN)/python scripts/release --keep .cache/release

image: ## Build the images without a container engine, check them, and run the quickstart in them (root; about fifteen minutes)
	@scripts/setup test
	@PYTHONPATH=. $(BIN)/python scripts/image

spark-versions: ## Rewrite a table of each format on Spark 3.5 to 4.3 servers (VERSIONS="4.0.5 4.3.0"; about 20 minutes)
	@scripts/setup test
	@PYTHONPATH=. $(BIN)/python scripts/spark-versions $(VERSIONS)

foreign-clients: ## Generate clients for Go, Java and Rust from openapi.yaml and compile them (about four minutes)
	@scripts/setup test
	@PYTHONPATH=. $(BIN)/python scripts/foreign-clients

audit: ## Look up known vulnerabilities of every locked package; what can't be reached is listed as not checked
	@scripts/setup demo
	@$(BIN)/python scripts/audit

fmt: ## Format the code and apply the fixes of ruff
	@scripts/setup test
	@$(BIN)/ruff check --quiet --fix . ; $(BIN)/ruff format .

openapi: ## Write openapi.yaml, the JSON Schema of policies, the reference of settings and the lists of features from the code
	@scripts/setup test
	@$(BIN)/python -m api openapi
	@$(BIN)/python -m api policy-schema
	@$(BIN)/python -m api settings
	@PYTHONPATH=. $(BIN)/python scripts/features
	@PYTHONPATH=. $(BIN)/python scripts/site/reference.py
	@PYTHONPATH=. $(BIN)/python deploy/helm/generate.py

sdk: openapi ## Write the generated parts of the Python and TypeScript SDKs from openapi.yaml
	@$(BIN)/python clients/generate.py
	@$(BIN)/python clients/terraform/generate.py
	@npm --prefix clients/typescript --silent run generate

fuzz: fuzz-api fuzz-tables fuzz-v3 fuzz-writers fuzz-upkeep fuzz-paimon fuzz-paimon-writers fuzz-hive fuzz-parsers fuzz-compiled ## Run all of the targets fuzz-… (about four hours)

fuzz-api: ## Run every check of Schemathesis, 300 examples an operation, as viewer and as admin (about 20 minutes)
	@scripts/setup test
	@$(MAKE) --no-print-directory --jobs=2 --output-sync fuzz-viewer fuzz-admin

fuzz-tables: ## Rewrite random tables beside Iceberg's own procedure and compare all readers (TABLES=500 SEED=1 KIND=glue)
	@scripts/setup test
	@PACKHOUSE_FUZZ_TABLES=$(or $(TABLES),500) PACKHOUSE_FUZZ_KIND=$(KIND) PACKHOUSE_FUZZ_SEED=$(or $(SEED),1) \
	  $(BIN)/pytest -q tests/differential -k "not version_three" $(PYTEST_ARGS)

fuzz-v3: ## Rewrite random tables of format version 3, then run every operation on them, and compare all rows with their lineage (TABLES=300 SEED=1 KIND=hive_4)
	@scripts/setup test
	@PACKHOUSE_FUZZ_TABLES=$(or $(TABLES),300) PACKHOUSE_FUZZ_KIND=$(KIND) PACKHOUSE_FUZZ_SEED=$(or $(SEED),1) \
	  $(BIN)/pytest -q tests/differential -k version_three $(PYTEST_ARGS)

fuzz-writers: ## Let other writers act at random steps of rewrites (RUNS=500 SEED=1)
	@scripts/setup test
	@PACKHOUSE_FUZZ_RUNS=$(or $(RUNS),500) PACKHOUSE_FUZZ_SEED=$(or $(SEED),1) \
	  $(BIN)/pytest -q tests/interleaving/test_matrix.py -k many $(PYTEST_ARGS)

fuzz-upkeep: ## Upkeep of random tables compared with Iceberg's procedures, and other writers at its steps (TABLES=300 RUNS=300 SEED=1 KIND=rest)
	@scripts/setup test
	@PACKHOUSE_FUZZ_TABLES=$(or $(TABLES),300) PACKHOUSE_FUZZ_RUNS=$(or $(RUNS),300) PACKHOUSE_FUZZ_KIND=$(KIND) PACKHOUSE_FUZZ_SEED=$(or $(SEED),1) \
	  $(BIN)/pytest -q tests/upkeep $(PYTEST_ARGS)

fuzz-paimon: ## Compact random Paimon tables beside Paimon's own core and compare every row (TABLES=200 SEED=1)
	@scripts/setup test
	@PACKHOUSE_FUZZ_TABLES=$(or $(TABLES),200) PACKHOUSE_FUZZ_SEED=$(or $(SEED),1) \
	  $(BIN)/pytest -q tests/integration/paimon/test_random_compactions.py tests/integration/paimon/upkeep/test_random_*.py $(PYTEST_ARGS)

fuzz-paimon-writers: ## Let other writers act, and workers be killed, at every step of rewrites of Paimon tables (RUNS=100 SEED=1)
	@scripts/setup test
	@PACKHOUSE_FUZZ_RUNS=$(or $(RUNS),100) PACKHOUSE_FUZZ_SEED=$(or $(SEED),1) \
	  $(BIN)/pytest -q tests/interleaving/test_paimon.py tests/acceptance/test_killed_on_paimon.py $(PYTEST_ARGS)

fuzz-hive: ## Rewrite partitions of random Hive tables and compare the rows and predicates of all readers (TABLES=300 SEED=1 KIND=hive_3; PLANS=1: without readers)
	@scripts/setup test
	@PACKHOUSE_FUZZ_PLANS=$(PLANS) PACKHOUSE_FUZZ_TABLES=$(or $(TABLES),300) PACKHOUSE_FUZZ_KIND=$(KIND) PACKHOUSE_FUZZ_SEED=$(or $(SEED),1) \
	  $(BIN)/pytest -q tests/integration/hive/test_random_rewrites.py $(PYTEST_ARGS)

fuzz-parsers: ## Parse mutants of foreign files and answers with little memory; print the slowest and the largest (COUNT=1000000 SEED=1)
	@scripts/setup test
	@nice $(BIN)/python -m tests.parsers --count $(or $(COUNT),1000000) --seed $(or $(SEED),1)

fuzz-compiled: ## Merge mutants of column chunks by the compiled pass, and read those of footers, with little memory (COUNT=5000000 SEED=1 ONLY=17)
	@scripts/setup test
	@nice scripts/compiled fuzz $(or $(COUNT),5000000) $(or $(SEED),1) $(ONLY)

fuzz-viewer fuzz-admin: fuzz-%:
	@PACKHOUSE_FUZZ_EXAMPLES=$(or $(EXAMPLES),300) PACKHOUSE_FUZZ_ONLY='$(ONLY)' \
	  $(BIN)/pytest -q -s tests/contract/test_fuzz.py -k $* $(PYTEST_ARGS)

simulate: ## Play seeds of faults under virtual time, then the fleet scenarios; print what held (SEEDS=10000)
	@scripts/setup test
	@$(BIN)/python -m tests.simulation --seeds $(or $(SEEDS),10000)
	@$(BIN)/python -m bench.fleet

defences: ## Take each defence against known faults away, in a copy, and see its test fail (ROWS="F1 F14"; some minutes)
	@scripts/setup test
	@$(BIN)/python -m tests.defences $(ROWS)

mutants: ## Change decisions of planning, commits and kernel one at a time; which changes do the tests miss? (BEFORE=REVISION SAMPLE=200)
	@scripts/setup test
	@mkdir -p .cache/mutants
	@for subject in planning commits kernel; do \
	  scripts/mutants run $$subject --sample $(or $(SAMPLE),200) --out .cache/mutants/$$subject.json || exit 1; \
	  if [ -n "$(BEFORE)" ]; then \
	    scripts/mutants run $$subject --sample $(or $(SAMPLE),200) --out .cache/mutants/$$subject-before.json \
	      --deep --tests $(BEFORE) || exit 1; \
	    scripts/mutants compare .cache/mutants/$$subject-before.json .cache/mutants/$$subject.json || exit 1; \
	  fi; \
	done

jars: ## Fetch the Iceberg runtime that tests and benches compare with
	@scripts/setup test
	@$(BIN)/python -m engine.embedded.jars

bench-%: ## Run one script or package of bench/ and print its table
	@scripts/setup test
	@$(BIN)/python -m bench.$*
