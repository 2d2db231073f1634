# Belfry's commands. `make` alone prints them.

SWIFT ?= swift
ARGS ?=
SECONDS ?= 60
MINUTES ?= 10

# Of the Debian package: rises when the packaging changes and the sources do not.
REVISION ?= 1

# What `make night` does less of.
RESTARTS ?= 100
SEEDS ?= 1000
SLOW_SECONDS ?= 30

# Of `make flakes`: a regular expression as of `swift test --filter`, and how often.
FILTER ?=
ROUNDS ?= $(if $(FILTER),500,20)

# Of `make night`: the target to go on from.
FROM ?=

DESTDIR ?=
PREFIX ?= /usr
SYSCONFDIR ?= /etc
UNITDIR ?= /lib/systemd/system
DOCDIR ?= $(PREFIX)/share/doc/belfry
# Debian's zsh looks for functions of packages elsewhere than others do.
ZSHDIR ?= $(PREFIX)/share/zsh/$(if $(wildcard /etc/debian_version),vendor-completions,site-functions)
INSTALL_STRIP ?= -s

# A target may only import what it names as a dependency.
BUILD_FLAGS = --explicit-target-dependency-import-check error

# Sanitized and static builds live beside the ordinary one, so that none evicts another.
ASAN_FLAGS = $(BUILD_FLAGS) --scratch-path .build-asan --sanitize=address
TSAN_FLAGS = $(BUILD_FLAGS) --scratch-path .build-tsan --sanitize=thread -Xswiftc -DTSAN
# Optimised as a release is, which changes what async code may do between two awaits. The flags that
# matter for that are those of scripts/build-release.
RELEASE_TEST_FLAGS = $(BUILD_FLAGS) --scratch-path .build-release-tests -c release \
	-Xswiftc -enable-testing -Xswiftc -cross-module-optimization
# The fuzzer needs the sources compiled with its own counters, which Package.swift asks for, and a look into them.
FUZZ_FLAGS = $(BUILD_FLAGS) --scratch-path .build-fuzz -c release -Xswiftc -enable-testing
BENCH_FLAGS = $(BUILD_FLAGS) --scratch-path .build-bench -c release
# Where scripts/build-release puts it.
RELEASE_BINARY = .build-static/release/belfryd
COMMAND_BINARY = .build-static/release/belfry

# All tests are Swift Testing's: XCTest has none to run, and leaks.
TEST_FLAGS = --disable-xctest
# What reads the text of the repository finds the same in every build: `make test` and `make test-release` run it.
SKIP_TEXTS = --skip StructureTests
RUN_TESTS = SWIFT='$(SWIFT)' scripts/run-tests
# Of the rows that LongSoakTests print.
SOAK_COLUMNS = Store | Minutes | Rounds | Events published | Delivered | Gaps told | Clients that vanished | Reads \
	| Resident KiB, warm | at the end | KiB a minute | Descriptors, warm | at the end

SWIFT_SOURCES = Package.swift Plugins Sources Tests Benchmarks/Core

# What .ci/run does, in 20 minutes. Its random tests have one seed: the same commit passes again. `make night` and
# `make flakes` draw others.
CI_TARGETS = lint test docs smoke
CI_SEED = 1

# What `make night` does: all that has a verdict and ends within an hour, on both systems, in both builds. `make long-tests`,
# `make test-container`, `make mutants` and `make flakes` are for a release, or by hand.
NIGHT_TARGETS = lint docs test test-release smoke asan tsan test-libraries bench-counts fair-check test-systemd slow-test \
	fuzz-check openapi-test webhooks-test monitoring-test page-test interop recipes \
	debian13-test debian13-test-release debian13-smoke debian13-test-systemd debian13-interop debian13-recipes \
	debian13-fuzz-check test-deb

.DEFAULT_GOAL = menu
# All targets but files, whose names are those of variables: what begins a line and is lower case.
.PHONY: $(sort $(shell sed -n 's/^\([a-z][a-z0-9-]*\):.*/\1/p' $(firstword $(MAKEFILE_LIST))))

menu:
	@echo 'Belfry, an event bus for one machine:'
	@sed -n 's/^\([a-z][a-z0-9%-]*\):.*## \(.*\)/  make \1|\2/p' $(firstword $(MAKEFILE_LIST)) \
		| awk -F '|' '{ printf "%-18s %s\n", $$1, $$2 }'

setup: ## install the packages that this machine lacks for building and running
	@SWIFT='$(SWIFT)' scripts/setup

# Beside it the programs that the tests run.
test-setup:
	@SWIFT='$(SWIFT)' scripts/setup test

run: release ## build daemon and command, and run the daemon in the foreground (ARGS='--listen …')
	@exec $(RELEASE_BINARY) $(ARGS)

build: setup ## build everything, the tests too
	$(SWIFT) build $(BUILD_FLAGS) --build-tests

test: test-setup ## run every test
	$(RUN_TESTS) $(TEST_FLAGS) $(BUILD_FLAGS)

test-release: test-setup ## run every test, optimised as a release is
	$(RUN_TESTS) $(TEST_FLAGS) $(RELEASE_TEST_FLAGS)

release: setup $(RELEASE_BINARY) $(COMMAND_BINARY) ## build daemon and command for use: optimised, no Swift library needed

$(RELEASE_BINARY): Package.swift scripts/build-release $(shell find -L Sources Plugins -type f)
	@SWIFT='$(SWIFT)' scripts/build-release
	@touch $@

# Not beside the daemon: two builds in one folder wait for each other, or get in each other's way.
$(COMMAND_BINARY): $(RELEASE_BINARY)
	@SWIFT='$(SWIFT)' scripts/build-release belfry
	@touch $@

install: $(RELEASE_BINARY) $(COMMAND_BINARY) ## install daemon, command, configuration, units and manual (DESTDIR=, PREFIX=/usr, INSTALL_STRIP= keeps symbols)
	install -D $(INSTALL_STRIP) -m 0755 $(RELEASE_BINARY) '$(DESTDIR)$(PREFIX)/bin/belfryd'
	install -D $(INSTALL_STRIP) -m 0755 $(COMMAND_BINARY) '$(DESTDIR)$(PREFIX)/bin/belfry'
	scripts/install-manual $(RELEASE_BINARY) $(COMMAND_BINARY) '$(DESTDIR)$(PREFIX)/share' '$(DESTDIR)$(ZSHDIR)'
	scripts/install-config config/belfryd.conf '$(DESTDIR)$(SYSCONFDIR)/belfry/belfryd.conf'
	install -d '$(DESTDIR)$(UNITDIR)' $(patsubst %,'$(DESTDIR)$(DOCDIR)/%',config monitoring proxies)
	install -d $(patsubst systemd/belfry-%@.service,'$(DESTDIR)$(SYSCONFDIR)/belfry/%.d',$(wildcard systemd/belfry-*@.service))
	for unit in $(notdir $(wildcard systemd/*)); do \
		sed 's|/usr/bin/belfry|$(PREFIX)/bin/belfry|g; s|/etc/belfry/|$(SYSCONFDIR)/belfry/|g; s|///usr/share/doc/belfry/|//$(DOCDIR)/|g' \
			"systemd/$$unit" >'$(DESTDIR)$(UNITDIR)'/"$$unit" && \
		chmod 0644 '$(DESTDIR)$(UNITDIR)'/"$$unit" || exit 1; \
	done
	scripts/install-documents '$(DESTDIR)$(DOCDIR)'
	install -m 0644 config/belfryd.conf '$(DESTDIR)$(DOCDIR)/config'
	install -m 0644 monitoring/alerts.yml monitoring/grafana.json '$(DESTDIR)$(DOCDIR)/monitoring'
	install -m 0644 $(wildcard proxies/*) '$(DESTDIR)$(DOCDIR)/proxies'

uninstall: ## stop the service and remove the installed files; list the files that stay
	@DESTDIR='$(DESTDIR)' PREFIX='$(PREFIX)' SYSCONFDIR='$(SYSCONFDIR)' UNITDIR='$(UNITDIR)' \
		DOCDIR='$(DOCDIR)' scripts/uninstall

deb: release ## make the Debian package of this release (.build-deb; REVISION=1)
	@SWIFT='$(SWIFT)' scripts/setup deb
	@scripts/deb '$(REVISION)'

dist: ## make the archive of the sources of the last commit (.build-dist)
	@mkdir -p .build-dist
	@git archive --format=tar.gz --prefix="belfry-$$(scripts/version)/" \
		-o ".build-dist/belfry-$$(scripts/version).tar.gz" HEAD
	@echo ".build-dist/belfry-$$(scripts/version).tar.gz"

config: setup ## write config/belfryd.conf anew from the table of keys
	mkdir -p config
	BELFRY_RECORD=1 $(RUN_TESTS) $(TEST_FLAGS) $(BUILD_FLAGS) --filter theFileIsWhatTheTableSays

fmt: setup ## format the sources
	$(SWIFT) format -i -r $(SWIFT_SOURCES)

lint: setup ## check the format of the sources
	$(SWIFT) format lint --strict -r $(SWIFT_SOURCES)

docs: setup ## make the documentation of the libraries (.build-docs), and check its links
	@SWIFT='$(SWIFT)' BUILD_FLAGS='$(BUILD_FLAGS)' scripts/docs

# A crashed test must end, not wait for a backtrace.
ci night test-release asan tsan long-tests: export SWIFT_BACKTRACE = enable=no

asan: test-setup ## run the tests under the address sanitizer, leaks included
	ASAN_OPTIONS=detect_leaks=1 $(RUN_TESTS) $(TEST_FLAGS) $(SKIP_TEXTS) $(ASAN_FLAGS)

# Every program that ends would wait a second for races of threads that still run: the tests end hundreds.
tsan: test-setup ## run the tests under the thread sanitizer
	TSAN_OPTIONS=atexit_sleep_ms=50 $(RUN_TESTS) $(TEST_FLAGS) $(SKIP_TEXTS) $(TSAN_FLAGS)

ci: export BELFRY_SEED = $(CI_SEED)
ci: ## what every change must pass, as .ci/run does: lint, test, docs, smoke
	@MAKE='$(MAKE)' scripts/ci $(CI_TARGETS)

night: ## nearly everything else, on Debian 12 and 13, which must pass before a release (hours; FROM=tsan goes on there)
	@MAKE='$(MAKE) RESTARTS=10 SLOW_SECONDS=6' scripts/night $(if $(FROM),--from '$(FROM)') $(NIGHT_TARGETS)

flakes: test-setup ## run the tests ROUNDS=20 times beside busy processors (FILTER=SUITE: 500 times)
	$(SWIFT) build $(BUILD_FLAGS) --build-tests
	@SWIFT='$(SWIFT)' scripts/flakes '$(ROUNDS)' '$(FILTER)'

long-tests: setup ## run the long form of the suites named Long…, whose short one is in `make test`
	$(SWIFT) build $(BUILD_FLAGS) --build-tests
	$(SWIFT) test list --skip-build | grep -q '\.Long' || { echo 'no long tests found' >&2; exit 1; }
	BELFRY_LONG=1 $(RUN_TESTS) $(TEST_FLAGS) $(BUILD_FLAGS) --filter '\.Long'

test-libraries: setup ## use the libraries from a package of its own, in debug and in release, as docs/libraries.md says
	@SWIFT='$(SWIFT)' scripts/test-libraries

interop: ## run clients by others against the daemon (ARGS='--client httpx-sse')
	@SWIFT='$(SWIFT)' scripts/setup interop
	$(SWIFT) build $(BUILD_FLAGS) --product belfryd
	@scripts/interop --daemon "$$($(SWIFT) build $(BUILD_FLAGS) --show-bin-path)/belfryd" $(ARGS)

recipes: ## have programs by others publish, and proxies stand before the bus, set up as the documents say (ARGS='--sender collectd')
	@SWIFT='$(SWIFT)' scripts/setup recipes
	$(SWIFT) build $(BUILD_FLAGS) --product belfryd
	@scripts/recipes --daemon "$$($(SWIFT) build $(BUILD_FLAGS) --show-bin-path)/belfryd" $(ARGS)

# The machine that boots has its /lib under /usr, as Debian has.
test-systemd: release ## boot a real systemd with the installed service (needs root; RESTARTS=100)
	@SWIFT='$(SWIFT)' scripts/setup systemd
	rm -rf .build-systemd
	$(MAKE) install DESTDIR=.build-systemd PREFIX=/usr SYSCONFDIR=/etc UNITDIR=/usr/lib/systemd/system
	$(MAKE) install DESTDIR=.build-systemd/elsewhere PREFIX=/opt/belfry SYSCONFDIR=/etc UNITDIR=/etc/systemd/system
	@scripts/test-systemd .build-systemd --elsewhere .build-systemd/elsewhere --restarts $(RESTARTS)

# Each release of Debian has its own package, made on it. The Debian 13 has the last commit.
test-deb: setup ## try the package on a clean Debian 12 and a clean Debian 13 (needs root and Debian 12; BEFORE= a folder with the release before)
	@. /etc/os-release; [ "$$ID$$VERSION_ID" = debian12 ] || { \
		echo 'test-deb: only a Debian 12 can try both: make test-deb-here is for this system alone' >&2; exit 1; }
	$(MAKE) test-deb-here
	@SWIFT='$(SWIFT)' scripts/setup debian13
	@SWIFT='$(SWIFT)' scripts/debian13 $(if $(BEFORE),--bring '$(BEFORE)') make test-deb-here $(if $(BEFORE),BEFORE=/brought)

test-deb-here: release # the same on this system's own release alone
	@SWIFT='$(SWIFT)' scripts/setup deb
	@SWIFT='$(SWIFT)' scripts/setup systemd
	rm -rf .build-test-deb/installed
	$(MAKE) install DESTDIR=.build-test-deb/installed PREFIX=/usr SYSCONFDIR=/etc UNITDIR=/usr/lib/systemd/system
	@scripts/test-deb .build-test-deb/installed '$(BEFORE)'

test-container: ## build the Dockerfile without a registry, and use its image (needs root)
	@SWIFT='$(SWIFT)' scripts/setup container
	@SWIFT='$(SWIFT)' scripts/test-container

debian13-%: ## run a make target in a Debian 13 of its own, on the last commit (needs root): debian13-test, debian13-smoke
	@SWIFT='$(SWIFT)' scripts/setup debian13
	@SWIFT='$(SWIFT)' scripts/debian13 make RESTARTS=$(RESTARTS) $*

smoke: release ## use the release programs with curl, over a stop and kills, on Debian 13 too where make debian13-smoke made one
	@SWIFT='$(SWIFT)' scripts/smoke

slow-test: release ## run an ordinary client beside 1,000 slow connections of each kind (SLOW_SECONDS=30)
	@SWIFT='$(SWIFT)' scripts/setup slow
	@Benchmarks/keep slow-test python3 -B Tests/Outside/under_slow_attack.py --daemon $(RELEASE_BINARY) --seconds $(SLOW_SECONDS)

fuzz: setup ## try every parser on inputs that libFuzzer makes (SECONDS=60 each; ARGS='--parser names --keep')
	BELFRY_FUZZ=1 $(SWIFT) build $(FUZZ_FLAGS) --product fuzz
	@scripts/fuzz .build-fuzz/release/fuzz --seconds $(SECONDS) $(ARGS)

fuzz-check: # what is kept, and as many inputs more from one seed, in a minute
	BELFRY_FUZZ=1 $(SWIFT) build $(FUZZ_FLAGS) --product fuzz
	@scripts/fuzz .build-fuzz/release/fuzz

openapi-test: ## send the daemon every request of docs/openapi.yaml, right and wrong (ARGS='--seconds 60')
	@SWIFT='$(SWIFT)' scripts/setup openapi
	$(SWIFT) build $(BUILD_FLAGS) --product belfryd
	@scripts/openapi --daemon "$$($(SWIFT) build $(BUILD_FLAGS) --show-bin-path)/belfryd" $${BELFRY_SEED:+--seed $$((BELFRY_SEED % 1000000))} $(ARGS)

webhooks-test: ## have `belfry push` bring events to a receiver that fails, over kills, and verify each (ARGS='--events 60 --kills 10')
	@SWIFT='$(SWIFT)' scripts/setup webhooks
	$(SWIFT) build $(BUILD_FLAGS) --product belfryd
	$(SWIFT) build $(BUILD_FLAGS) --product belfry
	@scripts/webhooks --programs "$$($(SWIFT) build $(BUILD_FLAGS) --show-bin-path)" $(ARGS)

page-test: ## use the page in Chromium: 10,000 topics, restarts, gaps, hostile names (ARGS='--act follow --seconds 600')
	@SWIFT='$(SWIFT)' scripts/setup page
	$(SWIFT) build $(BUILD_FLAGS) --product belfryd
	@scripts/page --daemon "$$($(SWIFT) build $(BUILD_FLAGS) --show-bin-path)/belfryd" $(ARGS)

monitoring-test: ## check the alerts and the dashboard of monitoring/ with promtool and the daemon
	@SWIFT='$(SWIFT)' scripts/setup monitoring
	$(SWIFT) build $(BUILD_FLAGS) --product belfryd
	@scripts/monitoring --daemon "$$($(SWIFT) build $(BUILD_FLAGS) --show-bin-path)/belfryd"

mutants: test-setup ## plant the faults of Tests/mutants.txt one by one; the tests have to find each (hours; ARGS='NAME …', FROM=NAME)
	@SWIFT='$(SWIFT)' scripts/setup mutants
	@SWIFT='$(SWIFT)' BUILD_FLAGS='$(BUILD_FLAGS)' TEST_FLAGS='$(TEST_FLAGS)' FROM='$(FROM)' scripts/mutants $(ARGS)

sim: setup ## run SEEDS=1000 lives of a simulated bus; a broken promise shrinks to a short story (SEED=n, ARGS='--fault NAME')
	$(SWIFT) build -c release --scratch-path .build-sim --product simulate
	@.build-sim/release/simulate --jobs "$$(nproc)" $(if $(SEED),--seed '$(SEED)',--seeds '$(SEEDS)') $(ARGS)

crash-test: setup ## kill the daemon 600 times, and cut the power of 150 stores 3 times each (also in long-tests)
	$(SWIFT) build $(BUILD_FLAGS) --build-tests
	BELFRY_LONG=1 $(RUN_TESTS) $(TEST_FLAGS) $(BUILD_FLAGS) --skip-build \
		--filter 'LongCrashTests|LongPowerLossTests'

bench: setup $(RELEASE_BINARY) ## measure the daemon beside nchan, NATS and bare C (ARGS='publish sse --rounds 5', --growth, --help)
	@SWIFT='$(SWIFT)' scripts/setup bench
	@Benchmarks/bench --daemon $(RELEASE_BINARY) $(ARGS)

fair: release ## measure an ordinary client beside one greedy user (ARGS='patterns lists', --help)
	@SWIFT='$(SWIFT)' scripts/setup fair
	@python3 -B -m unittest --quiet Benchmarks/test_fair.py
	@Benchmarks/fairness --daemon $(RELEASE_BINARY) $(ARGS)

fair-check: ## attack the daemon in small, and fail where a turn takes more steps than its bound
	@SWIFT='$(SWIFT)' scripts/setup fair
	$(SWIFT) build $(BUILD_FLAGS) --product belfryd
	@Benchmarks/fairness --check --daemon "$$($(SWIFT) build $(BUILD_FLAGS) --show-bin-path)/belfryd" $(ARGS)

bench-counts: setup $(RELEASE_BINARY) ## count system calls, allocations and instructions of each path, and fail where they grew
	@SWIFT='$(SWIFT)' scripts/setup counts
	@python3 -m unittest --quiet Benchmarks/test_conductor.py Benchmarks/test_fair.py Benchmarks/test_heads.py
	@Benchmarks/count-operations --daemon $(RELEASE_BINARY) $(ARGS)

bench-profile: setup $(RELEASE_BINARY) ## show where the instructions of each path go (ARGS='publish sse --lines 60')
	@SWIFT='$(SWIFT)' scripts/setup profile
	@Benchmarks/profile --daemon $(RELEASE_BINARY) $(ARGS)

soak: setup $(RELEASE_BINARY) ## load a daemon with each store for MINUTES=10 with clients of all kinds (short in test and long-tests)
	@SWIFT='$(SWIFT)' scripts/setup keep >&2
	@$(SWIFT) build $(BUILD_FLAGS) --build-tests >&2
	@BELFRY_SOAK_MINUTES='$(MINUTES)' BELFRY_LONG=1 BELFRY_DAEMON='$(abspath $(RELEASE_BINARY))' \
		Benchmarks/keep --rows '$(SOAK_COLUMNS)' soak \
		env $(RUN_TESTS) $(TEST_FLAGS) $(BUILD_FLAGS) --skip-build --filter LongSoakTests

bench-core: setup ## measure the bus inside one process beside others (ARGS='broadcaster --rounds 31')
	@SWIFT='$(SWIFT)' scripts/setup keep >&2
	@$(SWIFT) build $(BENCH_FLAGS) --product bench-core >&2
	@Benchmarks/keep bench-core .build-bench/release/bench-core $(ARGS)

bench-loops: setup $(RELEASE_BINARY) ## measure different numbers of event loops (ROUNDS=5)
	@SWIFT='$(SWIFT)' scripts/setup keep >&2
	@Benchmarks/keep bench-loops Benchmarks/loops $(RELEASE_BINARY)

bench-idle: setup $(RELEASE_BINARY) ## measure the cost of 10,000 subscribers of quiet topics
	@SWIFT='$(SWIFT)' scripts/setup keep >&2
	@$(SWIFT) build $(BUILD_FLAGS) --build-tests >&2
	@BELFRY_LONG=1 BELFRY_DAEMON='$(abspath $(RELEASE_BINARY))' \
		Benchmarks/keep --rows 'What | Figure' bench-idle \
		env $(RUN_TESTS) $(TEST_FLAGS) $(BUILD_FLAGS) --skip-build --filter LongIdleTests

bench-store: setup $(RELEASE_BINARY) ## measure the cost of keeping events, beside redis-server and nats-server (ROUNDS=5)
	@SWIFT='$(SWIFT)' scripts/setup store >&2
	@Benchmarks/keep bench-store Benchmarks/store $(RELEASE_BINARY)

bench-work: setup $(RELEASE_BINARY) ## measure work groups beside beanstalkd, redis-server and nats-server (ARGS='take --rounds 5', --help)
	@SWIFT='$(SWIFT)' scripts/setup work
	@Benchmarks/work --daemon $(RELEASE_BINARY) $(ARGS)

bench-command: release ## measure `belfry`: lines beside curl, printing events, its start (ARGS='--rounds 5')
	@SWIFT='$(SWIFT)' scripts/setup command
	@Benchmarks/keep bench-command Benchmarks/command --programs $(dir $(COMMAND_BINARY)) $(ARGS)

clean: ## remove all build products
	rm -rf .build .build-*
