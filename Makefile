# Everything a contributor types. `make` alone lists it.
.DEFAULT_GOAL := help
SHELL := /bin/bash

# The import rules of CONTRIBUTING.md are part of the build: an import that Package.swift doesn't name is an error.
BUILD := swift build --explicit-target-dependency-import-check error

.PHONY: help
help: ## List the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 16

.PHONY: packages
packages: ## Install what is missing of Debian's packages
	@deploy/install-packages

.PHONY: build
build: packages ## Build for debugging, tests included
	$(BUILD) --build-tests

.PHONY: release
release: packages ## Build the server and the APNs simulator for release
	$(BUILD) -c release --product kits
	$(BUILD) -c release --product apns-simulator

.PHONY: up
up: release ## Start a demo in .local: database, APNs simulator, server, a first push
	@deploy/up

.PHONY: down
down: ## Stop what `make up` started
	@deploy/down

.PHONY: clean-local
clean-local: down ## Stop it and remove .local
	@dir="$${KITS_DEMO_DIR:-.local}"; if [ -d "$$dir/postgres" ]; then deploy/postgres remove "$$dir/postgres"; fi; \
	rm -rf "$$dir"

.PHONY: test
test: ## Check the format, build, run every test
	@.ci/test

.PHONY: soak
soak: packages ## Kill the server 20 times during 200,000 deliveries (minutes, so not part of the tests)
	$(BUILD) --build-tests
	KITS_SOAK=1 swift test --skip-build --disable-xctest --filter '^KitsFaultTests\.SoakTests'

.PHONY: bench
bench: packages ## Measure against pgbench, a bare libcurl loop and other clients of APNs
	@deploy/install-packages bench || echo "The peers' packages could not be installed: those that lack one are left out."
	$(BUILD) -c release
	"$$(swift build -c release --show-bin-path)/kits-bench" $(BENCH_ARGS)

.PHONY: schema
schema: ## Write db/schema.sql from the migrations
	@db/write-schema

.PHONY: format
format: ## Rewrite the sources in the house format
	swift format --in-place --recursive --parallel Package.swift Sources Tests

.PHONY: format-check
format-check: ## Fail when a source isn't in the house format
	swift format lint --strict --recursive --parallel Package.swift Sources Tests
