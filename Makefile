# Belfry's commands. `make` alone prints them.

SWIFT ?= swift
ARGS ?=

DESTDIR ?=
PREFIX ?= /usr
SYSCONFDIR ?= /etc
UNITDIR ?= /lib/systemd/system
DOCDIR ?= $(PREFIX)/share/doc/belfry

# A target may only import what it names as a dependency.
BUILD_FLAGS = --explicit-target-dependency-import-check error

# Sanitized and static builds live beside the ordinary one, so that none evicts another.
ASAN_FLAGS = $(BUILD_FLAGS) --scratch-path .build-asan --sanitize=address
TSAN_FLAGS = $(BUILD_FLAGS) --scratch-path .build-tsan --sanitize=thread -Xswiftc -DTSAN
RELEASE_FLAGS = $(BUILD_FLAGS) --scratch-path .build-static -c release --static-swift-stdlib
BENCH_FLAGS = $(BUILD_FLAGS) --scratch-path .build-bench -c release
RELEASE_BINARY = .build-static/release/belfryd

# All tests are Swift Testing's: XCTest has none to run, and leaks.
TEST_FLAGS = --disable-xctest

SWIFT_SOURCES = Package.swift Sources Tests Benchmarks/Core

# The long checks, each a target that fails when it cannot run.
LONG_CHECKS = long-tests docs

.DEFAULT_GOAL = menu
.PHONY: menu setup run build test release install uninstall config fmt lint check asan tsan ci-long bench-core bench-loops clean \
	$(LONG_CHECKS)

menu:
	@echo 'Belfry, an event bus for one machine:'
	@sed -n 's/^\([a-z][a-z-]*\):.*## \(.*\)/  make \1|\2/p' $(firstword $(MAKEFILE_LIST)) \
		| awk -F '|' '{ printf "%-18s %s\n", $$1, $$2 }'

setup: ## install what building and running needs and this machine lacks
	@SWIFT='$(SWIFT)' scripts/setup

run: setup $(RELEASE_BINARY) ## build the daemon and run it in the foreground (ARGS='--listen …')
	@exec $(RELEASE_BINARY) $(ARGS)

build: setup ## build everything, the tests too
	$(SWIFT) build $(BUILD_FLAGS) --build-tests

test: setup ## run every test
	$(SWIFT) test $(TEST_FLAGS) $(BUILD_FLAGS)

release: setup $(RELEASE_BINARY) ## build the daemon for use: optimised, no Swift library needed

$(RELEASE_BINARY): Package.swift $(shell find Sources -type f)
	$(SWIFT) build $(RELEASE_FLAGS) --product belfryd
	@touch $@

install: $(RELEASE_BINARY) ## install daemon, configuration and units (DESTDIR=, PREFIX=/usr)
	install -D -m 0755 $(RELEASE_BINARY) '$(DESTDIR)$(PREFIX)/bin/belfryd'
	scripts/install-config config/belfryd.conf '$(DESTDIR)$(SYSCONFDIR)/belfry/belfryd.conf'
	install -d '$(DESTDIR)$(UNITDIR)' '$(DESTDIR)$(DOCDIR)'
	sed 's|/usr/bin/belfryd|$(PREFIX)/bin/belfryd|; s|/etc/belfry/|$(SYSCONFDIR)/belfry/|' \
		systemd/belfryd.service >'$(DESTDIR)$(UNITDIR)/belfryd.service'
	install -m 0644 systemd/belfryd.socket '$(DESTDIR)$(UNITDIR)/belfryd.socket'
	chmod 0644 '$(DESTDIR)$(UNITDIR)/belfryd.service'
	install -m 0644 LICENSE $(wildcard README.md CHANGELOG.md docs/*) '$(DESTDIR)$(DOCDIR)'

uninstall: ## remove what install put there, the configuration excepted
	rm -f '$(DESTDIR)$(PREFIX)/bin/belfryd'
	rm -f '$(DESTDIR)$(UNITDIR)/belfryd.service' '$(DESTDIR)$(UNITDIR)/belfryd.socket'
	rm -rf '$(DESTDIR)$(DOCDIR)'

config: setup ## write config/belfryd.conf anew from the table of keys
	mkdir -p config
	BELFRY_RECORD=1 $(SWIFT) test $(TEST_FLAGS) $(BUILD_FLAGS) --filter theFileIsWhatTheTableSays

fmt: setup ## lay out the sources
	$(SWIFT) format -i -r $(SWIFT_SOURCES)

lint: setup ## check the layout of the sources
	$(SWIFT) format lint --strict -r $(SWIFT_SOURCES)

docs: setup ## make the documentation of the libraries (.build-docs), and check its links
	@SWIFT='$(SWIFT)' BUILD_FLAGS='$(BUILD_FLAGS)' scripts/docs

# A crashed test must end, not wait for a backtrace.
check asan tsan ci-long: export SWIFT_BACKTRACE = enable=no

check: ## all that a change must pass: lint, build, test, asan, tsan
	$(MAKE) lint
	$(MAKE) build
	$(MAKE) test
	$(MAKE) asan
	$(MAKE) tsan

asan: setup ## run the tests under the address sanitizer, leaks included
	ASAN_OPTIONS=detect_leaks=1 $(SWIFT) test $(TEST_FLAGS) $(ASAN_FLAGS)

tsan: setup ## run the tests under the thread sanitizer
	$(SWIFT) test $(TEST_FLAGS) $(TSAN_FLAGS)

ci-long: setup $(LONG_CHECKS) ## the checks that take long; they fail where they cannot run

# Suites named Long… run their short form in `make test` and their long one here.
long-tests:
	$(SWIFT) build $(BUILD_FLAGS) --build-tests
	$(SWIFT) test list --skip-build | grep -q '\.Long' || { echo 'no long tests found' >&2; exit 1; }
	BELFRY_LONG=1 $(SWIFT) test $(TEST_FLAGS) $(BUILD_FLAGS) --filter '\.Long'

bench-core: setup ## measure the bus inside one process beside others (ARGS='broadcaster --rounds 31')
	@$(SWIFT) build $(BENCH_FLAGS) --product bench-core >&2
	@.build-bench/release/bench-core $(ARGS)

bench-loops: setup $(RELEASE_BINARY) ## measure how many event loops serve best (needs gcc, wrk; ROUNDS=5)
	@command -v wrk >/dev/null || { echo 'install wrk first: apt-get install wrk' >&2; exit 1; }
	@Benchmarks/loops $(RELEASE_BINARY)

clean: ## remove everything that was built
	rm -rf .build .build-asan .build-tsan .build-static .build-docs .build-bench
