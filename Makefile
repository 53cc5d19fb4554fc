# The two commands a newcomer needs are `make run` and `make test`; everything
# else is a step of one of them. Run `make help` for the list.

SHELL       := bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help

export CGO_ENABLED := 0

OCB_VERSION           := v0.160.0
GOLANGCI_LINT_VERSION := v2.15.0
VERSION               := $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
DATA                  ?= .data

MODULES  := . engine queryserver cmd tests
LIBRARY  := engine/library
CHROMIUM := /usr/bin/chromium

GO_ROOT := $(shell find receiver processor exporter extension internal -name '*.go' -o -name '*.sql' 2>/dev/null)
GO_CLI  := $(shell find cmd engine queryserver web -path '*/node_modules' -prune -o \( -name '*.go' -o -name '*.sql' \) -print 2>/dev/null)
WEB_SRC := $(shell find web/src web/public -type f 2>/dev/null) $(wildcard web/*.json web/*.ts web/*.js web/*.html)

.PHONY: help
help: ## list the targets
	@awk -F':.*## ' '/^[a-z-]+:.*## /{printf "  %-16s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

## ---- the job ---------------------------------------------------------------

.PHONY: run
run: build ## build everything and start it with demo traffic on this machine
	@exec bin/trackway up --data $(DATA) --demo

.PHONY: build
build: bin/libchdb.so bin/trackway bin/trackway-collector ## engine library, UI, CLI and collector, into bin/

.PHONY: engine-library
engine-library: bin/libchdb.so ## fetch the engine library named in its lock file

.PHONY: web
web: web/dist/index.html ## build the web UI

.PHONY: cli
cli: bin/trackway ## build the CLI with the UI inside

.PHONY: collector
collector: bin/trackway-collector ## build the collector distribution

bin/.tools-checked: scripts/check-tools.sh
	@scripts/check-tools.sh
	@mkdir -p bin && touch $@

$(LIBRARY)/node_modules/.stamp: $(LIBRARY)/package-lock.json | bin/.tools-checked
	cd $(LIBRARY) && npm ci --no-audit --no-fund --ignore-scripts
	@touch $@

bin/libchdb.so: $(LIBRARY)/node_modules/.stamp
	@lib=$$(find $(LIBRARY)/node_modules/@chdb -name 'libchdb.so' | head -n 1); \
	  [ -n "$$lib" ] || { echo "no engine library for $$(uname -s)/$$(uname -m): see $(LIBRARY)/package.json for the platforms it is published for" >&2; exit 1; }; \
	  mkdir -p bin; ln -sfn "../$$lib" $@; touch -h $@

web/node_modules/.stamp: web/package-lock.json | bin/.tools-checked
	cd web && npm ci --no-audit --no-fund
	@touch $@

web/dist/index.html: web/node_modules/.stamp $(WEB_SRC)
	cd web && npm run --silent build
	@touch $@

bin/trackway: web/dist/index.html $(GO_ROOT) $(GO_CLI) $(wildcard */go.mod) go.mod | bin/.tools-checked
	cd cmd && go build -tags ui -trimpath -ldflags '-s -w -X main.version=$(VERSION)' -o ../bin/trackway.new ./trackway
	@mv bin/trackway.new $@

# The builder writes its module into _build and compiles it; the library and the
# collector share one build cache because both are built without cgo.
bin/trackway-collector: builder-config.yaml $(GO_ROOT) go.mod | bin/.tools-checked
	go run go.opentelemetry.io/collector/cmd/builder@$(OCB_VERSION) --config builder-config.yaml
	@cp _build/trackway-collector bin/trackway-collector.new && mv bin/trackway-collector.new $@

## ---- the checks ------------------------------------------------------------

.PHONY: test
test: test-tools build lint test-web test-go test-e2e ## install what tests need and pass everything

.PHONY: test-tools
test-tools: bin/.tools-checked ## install the system packages the tests use (Debian, Ubuntu)
	@scripts/install-test-tools.sh

.PHONY: test-go
test-go: build ## every Go test of every module
	for m in $(MODULES); do (cd $$m && echo "== go test $$m" && go test -count=1 -timeout 20m ./...); done

.PHONY: test-web
test-web: web/dist/index.html ## type check, unit and component tests, and the size of the UI
	cd web && npm run --silent check && npm run --silent lint && npm run --silent test && npm run --silent size

.PHONY: test-e2e
test-e2e: build tests/ui/node_modules/.stamp ## the UI in a real browser on the real binaries
	cd tests/ui && npm test --silent

tests/ui/node_modules/.stamp: tests/ui/package-lock.json | bin/.tools-checked
	cd tests/ui && npm ci --no-audit --no-fund
	@touch $@

.PHONY: gates
gates: build ## figures that depend on the clock
	for m in $(MODULES); do (cd $$m && go test -count=1 -timeout 60m -tags gates -run 'Gate' ./...); done
	bin/trackway bench ingest --gates
	bin/trackway bench query --rows 2M --data .data/reference-2m --gates

.PHONY: soak
soak: build ## long runs: an hour of traffic, kill rounds, large inserts
	bin/trackway bench ingest --scenario soak --gates
	cd tests && TRACKWAY_KILL_ROUNDS=100 go test -count=1 -timeout 8h -v ./crash/...
	cd tests && TRACKWAY_INSERT_MIB=1024 go test -count=1 -timeout 1h -v -run 'Insert' ./clickhousego/...
	cd engine && go test -count=1 -timeout 2h -tags soak -run 'Soak' ./...

.PHONY: lint
lint: bin/tools/golangci-lint-$(GOLANGCI_LINT_VERSION) ## golangci-lint on every module
	for m in $(MODULES); do (cd $$m && echo "== lint $$m" && $(CURDIR)/$< run --config $(CURDIR)/.golangci.yml ./...); done

bin/tools/golangci-lint-$(GOLANGCI_LINT_VERSION): | bin/.tools-checked
	GOBIN=$(CURDIR)/bin/tools go install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(GOLANGCI_LINT_VERSION)
	@mv bin/tools/golangci-lint $@

.PHONY: tidy
tidy: ## tidy every module
	for m in $(MODULES); do (cd $$m && go mod tidy); done

.PHONY: clean
clean: ## remove what was built; keeps data
	rm -rf bin _build web/dist
