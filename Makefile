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

.PHONY: help build lab install wheel document demo test lint check soak fuzz compare dist release-check clean
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

# The tests run on the release build: `package` access needs no debug build, and one configuration is built.
# An import that the manifest does not name compiles or not, as the order of the modules happens to be.
# Packages that are not for the compiler come while it runs; .ci/run adds those of the checks.
PACKAGES := test
test: ## unit and integration tests, lint
	scripts/setup build
	for purpose in $(PACKAGES); do scripts/setup $$purpose || exit; done & setup=$$!; \
	swift build -c release $(LAB) --build-tests --explicit-target-dependency-import-check error && wait $$setup
	scripts/test --short
	$(MAKE) lint

lint: ## the formatter's strict rules, no traps, no folder circles
	swift format lint --parallel --strict -r Package.swift Sources Tests samples/library Fuzz
	! grep -rnE --include='*.swift' '\b(fatalError|preconditionFailure|assertionFailure)\(|\bas!' Sources
	scripts/check-folders

# scripts/README.md says which of these to run after which change; scripts/check lists their parts.
check: ## all else, after make test: documents, samples, a second decoder, schemas, stores, packages, faults
	scripts/check all

soak: ## what takes hours and seldom finds anything; scripts/check says when each part last ran
	@scripts/check | sed -n '/^soak:/,$$p'
	scripts/check soak

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
