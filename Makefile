# Chela. `make help` lists the targets.
TOOLS := $(or $(CHELA_TOOLS),$(CURDIR)/.tools)
VERSION ?= $(shell git describe --always --dirty 2>/dev/null || echo dev)
LDFLAGS := -s -w -X chela/internal/daemon.Version=$(VERSION)
PAGE := $(shell find web/src web/public -type f ! -name schema.gen.ts) web/index.html web/package.json web/vite.config.ts docs/openapi.json
# The tests of the binary are told where it is, and what it holds, by which go test knows whether a result is still of use.
FAULT = CHELA_TEST_BINARY=$(CURDIR)/bin/chela-fault CHELA_TEST_BINARY_SUM=$$(sha256sum <bin/chela-fault)
# How a binary is built that tests kill: only the assembly is compiled anew.
KILLED = -tags chela_fault -ldflags '-s -w -X chela/internal/fault.dies=yes'
# What vet says, lint says, too. Without what debuggers read, a test is linked in two thirds of the time.
GOTEST ?= go test -vet=off -ldflags=-w
# The race detector watches all but SQLite's C, which a machine translated: its memory is its own, the driver above it is watched,
# and watching it made the tests of a store take five times the processor.
WATCHED = -gcflags='modernc.org/sqlite/lib=-race=false' -gcflags='modernc.org/libc/...=-race=false'
# What reads the whole tree keeps nearly all of it: collecting garbage at five times what is kept saves a fifth of its processor.
COLLECTS_LATE = GOGC=400
# Where one process works from many sides at once.
DETECTED := $(addprefix ./internal/,run/local store/sqlite agent stream model schedule channel channel/discord channel/dingtalk channel/whatsapp channel/webhook)
# These tests do one thing after the other, for long: go-test alone plays them.
ALONE := TestFlows|TestRemember_AnswersAboutTheBeginning|TestCovered_FiveThousandTurns|TestRemember_PromptsBeginAsTheyDid|TestClock_AnIdleWeekAsksNobody|TestClock_AlwaysAsks|TestSqlite_MigrationsGoDownAndUpAgain|^Test$$/TheDeskAsItWas|^Test$$/NobodyFindsWhatIsAnothers|^Test$$/ListsAreWhatTheRecordsSay|^Test$$/TenThousandTickets|^Test$$/TamperingIsNamed
# These tests work a daemon from many sides at once.
RACED := TestMain_Job|TestMain_ProtocolTypes|TestImport_AnImportIsPreviewedAndItsMappingRemembered|TestCluster_TwoNodesShareTheWork|TestCluster_ADeadNodeIsTakenOver|TestChild_ChildrenAreKilledWithTheirDaemon|TestGrowing_Answers|TestChannel_NothingIsLostOnAChannel|TestTelegram|TestSlack|TestSchedule_TheClockBeginsWork|TestLive_EventsResume|TestKill_AtRandomInstants
export CGO_ENABLED ?= 0
export GOFLAGS := $(strip $(filter-out -trimpath,$(GOFLAGS)) -trimpath) # one way to compile, so that all steps share what is compiled

.PHONY: help build compile fault release profile web demo test go-test page-test check docker-sandbox race soak conformance bench bench-page bench-memory bench-router lint deadcode vuln fmt tools openapi clean

help: ## list the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 12

build: ## write bin/chela, with the page when it is built
	go build -ldflags '$(LDFLAGS)' -o bin/chela ./cmd/chela

fault: ## write bin/chela-fault, which dies at the point that CHELA_DIE_AT numbers, for the tests
	go build -buildvcs=false $(KILLED) -o bin/chela-fault ./cmd/chela

release: web ## write bin/chela as build does, compiled by a profile of turns: minutes longer, a tenth less processor for a turn
	go build -pgo=cmd/chela/turns.pgo -ldflags '$(LDFLAGS)' -o bin/chela ./cmd/chela

profile: ## write the profile of turns anew, for release
	CHELA_BENCH_PROFILE=$(CURDIR)/cmd/chela/turns.pgo CHELA_BENCH_DB=sqlite CHELA_BENCH_PART="turns desk" go test -run ^$$ -bench Report -benchtime 1x -timeout 40m ./test/bench

web: web/dist/index.html ## build the page when its sources are newer (needs Node)

web/node_modules/.package-lock.json: web/package-lock.json
	cd web && npm ci --no-audit --no-fund

web/dist/index.html: web/node_modules/.package-lock.json $(PAGE)
	cd web && npm run --silent build

demo: ## build everything and start with a demo project
	@echo "Building the page and the binary. The first time this takes some two minutes, later some seconds."
	@$(MAKE) --no-print-directory web build
	@./bin/chela demo

test: web build ## everything: Go on SQLite and a real PostgreSQL, the wires against the official SDKs, the page in a real Chromium
	script/postgres-ready
	script/sandbox-ready
	script/browser-ready
	$(MAKE) -j2 -Otarget go-test page-test CHELA_NEEDS_CHROMIUM=1

go-test: fault ## the Go tests alone
	script/postgres-ready
	CHELA_NEEDS_CHROMIUM=$(CHELA_NEEDS_CHROMIUM) $(FAULT) $(GOTEST) -timeout 60m ./test ./... # the longest first, beside the others
	cd test/sdk && $(GOTEST) ./...
	$(GOTEST) -tags whatsmeow ./internal/channel/whatsmeow/... ./internal/daemon

page-test: web build ## the page's tests alone, in a real Chromium
	script/browser-ready
	cd web && npm run --silent browser

check: tools ## the inner loop: lint and tests of what changed since main
	script/check

docker-sandbox: ## the attacks on the sandbox, against a Docker daemon of its own (needs root)
	script/docker-sandbox

race: ## the race detector: packages in their process, and whole conversations, imports and channels with a daemon (needs gcc)
	script/postgres-ready
	CGO_ENABLED=1 go build -race -buildvcs=false $(WATCHED) $(KILLED) -o bin/chela-race ./cmd/chela
	CGO_ENABLED=1 $(GOTEST) -race $(WATCHED) -short -timeout 45m -skip '$(ALONE)' $(DETECTED)
	CHELA_TEST_BINARY=$(CURDIR)/bin/chela-race CHELA_TEST_BINARY_SUM=$$(sha256sum <bin/chela-race) $(GOTEST) -timeout 45m -run '^($(RACED))$$' ./test

soak: ## long tests: kills at random instants, CHELA_SOAK_MESSAGES messages over all channels, CHELA_SHELL_LINES lines read and run by real shells
	script/postgres-ready
	CHELA_SHELL_LINES=$${CHELA_SHELL_LINES:-200000} go test -count=1 -timeout 240m -v -run TestShell_ReadsAsTheShellDoes ./internal/shell
	CHELA_SOAK=200 go test -count=1 -timeout 60m -run 'Kill' ./test
	CHELA_SOAK_MESSAGES=$${CHELA_SOAK_MESSAGES:-100000} go test -count=1 -timeout 240m -v -run TestLoad_SoakUnderLoad ./test

bin/h2spec: test/conformance/h2spec/go.mod test/conformance/h2spec/go.sum
	cd test/conformance/h2spec && go build -o $(CURDIR)/$@ github.com/summerwind/h2spec/cmd/h2spec

test/conformance/node_modules/.package-lock.json: test/conformance/package-lock.json
	cd test/conformance && npm ci --no-audit --no-fund

bin/everything-server: go.sum
	go build -o $@ github.com/modelcontextprotocol/go-sdk/conformance/everything-server

conformance: test/conformance/node_modules/.package-lock.json bin/h2spec bin/everything-server ## the suites of MCP and HTTP/2, and the SDKs of others, against our doors (needs Node)
	$(GOTEST) -count=1 ./test/conformance

bench: ## a report of how fast it is, as ratios to a baseline in the same run
	go test -run ^$$ -bench Report -benchtime 1x -timeout 40m ./test/bench

bench-page: web build ## how fast the page is in a real Chromium; CHELA_BENCH_MINUTES is how long the log is watched
	script/browser-ready
	node web/bench/cockpit.mjs

bench-memory: ## how well recall finds what was said: FILE="a.json b.json", or the tests' own sets
	go run ./script/memorybench $(FILE) $(filter-out bench-memory,$(MAKECMDGOALS))

bench-router: ## how well the router finds what messages ask for: FILE="a.csv b.csv", or the tests' own sets
	go run ./script/routerbench $(FILE) $(filter-out bench-router,$(MAKECMDGOALS))

compile: ## all packages and tests, once, before lint and the tests ask for them beside each other
	go list -export -deps -test -tags whatsmeow -f '' ./... >/dev/null

lint: tools ## golangci-lint, gofumpt, vet
	test -z "$$($(TOOLS)/gofumpt -l cmd demo internal script test web/embed.go *.go)"
	$(COLLECTS_LATE) $(TOOLS)/golangci-lint run --build-tags whatsmeow ./... # with all that a tag adds; what is built without it alone is four lines
	cd test/sdk && $(COLLECTS_LATE) $(TOOLS)/golangci-lint run ./...

deadcode: tools ## functions that nothing reaches
	test -z "$$($(TOOLS)/deadcode -test ./... | tee -a /dev/stderr)"

vuln: ## known vulnerabilities, where the database can be reached
	@script/vuln

fmt: tools ## format
	$(TOOLS)/gofumpt -w cmd demo internal script test web/embed.go *.go

tools: $(TOOLS)/golangci-lint $(TOOLS)/gofumpt $(TOOLS)/deadcode

$(TOOLS)/golangci-lint:
	GOBIN=$(TOOLS) go install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.14.0
$(TOOLS)/gofumpt:
	GOBIN=$(TOOLS) go install mvdan.cc/gofumpt@v0.10.0
$(TOOLS)/deadcode:
	GOBIN=$(TOOLS) go install golang.org/x/tools/cmd/deadcode@v0.50.0

openapi: ## write what is made of the routes and the kinds of records: the OpenAPI document, the Go client, the page's table of kinds
	go test ./internal/gateway/api -run 'TestOpenAPI|TestNowhere_Places' -update
	go run ./script/client
	go test . -run TestKinds_Page -update

clean: ## remove what was built
	rm -rf bin web/dist/assets web/dist/index.html
