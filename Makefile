# One target for each task; scripts/setup installs missing packages.
ROOT := $(CURDIR)
ifeq ($(wildcard scripts/setup),)
$(error Run make in the directory of apnsift, or with: make -C DIRECTORY)
endif

# Packages that scripts/setup installed for this checkout only.
export PATH := $(ROOT)/.build/venv/bin:$(PATH)

PREFIX ?= /usr/local

# apnsift-lab and the tests need SwiftNIO, which this trait fetches. A build without the trait after one with it would compile
# everything again: once SwiftNIO is there, the trait stays.
LAB := --traits Lab
TRAITS = $(if $(wildcard .build/checkouts/swift-nio),$(LAB))

.PHONY: help build lab install wheel document demo test lint check fuzz compare dist release-check clean
.NOTPARALLEL:

help: ## list the targets (the default)
	@sed -n 's/^\([a-z-]*\): .*## \(.*\)/  make \1	\2/p' Makefile

build: ## install missing packages, build the command
	scripts/setup build
	swift build -c release $(TRAITS) --product apnsift

lab: ## build apnsift-lab, which generates and serves test inputs and tests readers
	scripts/setup build
	swift build -c release $(LAB) --product apnsift-lab

install: build ## install the command, man pages and completions under PREFIX (default /usr/local)
	scripts/install "$(PREFIX)"

wheel: build ## build the Python package with the command in it, in .build/wheels
	scripts/make-wheel

document: build ## make the pages of the library, in .build/documentation
	scripts/document

demo: ## look into samples/ and replay one into a fresh store, with a built command if there is one
	scripts/demo

# Suites that take minutes: replays that are killed at random moments, and a thousand histories on each database.
LONG := KilledReplayTests|EndedReplayTests|MappedHistoryTests

# The tests run on the release build: `package` access needs no debug build, and one configuration is built.
# An import that the manifest does not name compiles or not, as the order of the modules happens to be.
test: ## unit and integration tests, lint
	scripts/setup test
	swift build -c release $(LAB) --build-tests --explicit-target-dependency-import-check error
	scripts/test --skip '$(LONG)'
	$(MAKE) lint

lint: ## the formatter's strict rules, no traps, no folder circles
	swift format lint --strict -r Package.swift Sources Tests samples/library Fuzz
	! grep -rnE --include='*.swift' '\b(fatalError|preconditionFailure|assertionFailure)\(|\bas!' Sources
	scripts/check-folders

check: ## all else, after make test: long tests, documents, samples, digests, schemas, damaged streams
	scripts/test --filter '$(LONG)'
	scripts/check-words --self-test
	scripts/check-words
	scripts/check-citations --self-test
	scripts/check-citations
	scripts/check-readme --self-test
	scripts/check-readme
	scripts/check-architecture
	scripts/check-samples
	scripts/check-tls
	scripts/check-pushes --limit 10 --tshark 1 samples/pushes
	scripts/check-push-logs samples/pushes/logs
	scripts/check-digests
	samples/make/corpus --check
	scripts/make-reference --check
	scripts/check-schemas
	scripts/check-lines
	scripts/cross-check
	scripts/cross-check --self-test
	scripts/cross-check-generated 200
	scripts/check-copies
	scripts/check-chance
	.build/release/apnsift verify samples/corpus
	scripts/check-progress
	scripts/check-report
	scripts/check-evidence
	scripts/check-store-values
	scripts/check-faults
	scripts/check-install
	scripts/check-library
	scripts/check-python
	scripts/check-spark
	scripts/check-mutations
	scripts/fuzz --quick

# The targets are in Fuzz/Sources/fuzz/Targets; without TARGET, all of them run.
TARGET ?=
RUNS ?= 100000
fuzz: ## fuzz the parsers: make fuzz TARGET="feedback requests" RUNS=1000000
	scripts/setup build
	scripts/fuzz --runs $(RUNS) $(TARGET)

# OPTIONS="--quick --only capture" and the like; Benchmarks/compare --help has them.
compare: build ## compare speed and memory with other programs; takes some minutes
	scripts/setup compare
	Benchmarks/compare $(OPTIONS)

dist: ## make the files of a release in dist/: tarball, Debian package, wheel, list of software, checksums
	scripts/setup build
	scripts/dist

release-check: test check ## everything that must hold before a release: all tests, artefacts in fresh systems, two equal builds
	scripts/check-release

clean: ## remove everything that was built
	rm -rf .build dist
