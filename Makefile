# make demo    build, then check, document and draw the sample application
# make demo-init  two replicas of a service with an init pipeline, to click at
# make test    every test but those of make golangci, with a throwaway PostgreSQL
# make golangci  golangci-lint built with the plugin: some minutes, without a build cache
GO     ?= go
TOOL    = bin/pglockdep
SAMPLE  = testdata/memberconsole
# What bench measures on: any module, for instance a large checkout.
BENCH  ?= $(SAMPLE)
RUN     = $(GO) run ./internal/pgtest/run --

# What is tested under the parser without cgo too.
PARSED = ./internal/pgsql ./internal/schema ./internal/effect

# Modules below this one that have tests of their own.
NESTED := $(sort $(filter-out testdata/golangci/,$(dir $(wildcard golangci/go.mod examples/*/go.mod testdata/*/go.mod runtime/go.mod runtime/*/*/go.mod runtime/*/*/*/go.mod))))
# Programs whose pages stand in docs/examples.
GALLERY := $(wildcard testdata/gallery-*)
GOFILES = $(shell git ls-files -co --exclude-standard '*.go')

.PHONY: demo demo-init build test golangci lint bench generate

demo: build
	@printf '\n== pglockdep check ($(SAMPLE))\n\n'
	@$(TOOL) check -C $(SAMPLE) ./... || { code=$$?; test $$code = 1 || exit $$code; \
		printf '\nThat is exit code 1: findings. A CI job would stop here; the demo goes on.\n'; }
	@printf '\n== pglockdep docs\n\n'
	@rm -f bin/database-locks.md
	@$(TOOL) docs -C $(SAMPLE) -o "$(CURDIR)/bin/database-locks.md" ./...
	@printf '\n== pglockdep graph -format mermaid\n\n'
	@$(TOOL) graph -C $(SAMPLE) -format mermaid ./... >bin/graph.mmd
	@cat bin/graph.mmd
	@$(TOOL) graph -C $(SAMPLE) -format html ./... >bin/graph.html
	@printf '\nLook at:\n'
	@printf '  bin/graph.html          the lock order in a browser: search, filter, click\n'
	@printf '  bin/database-locks.md   every lock of the sample and the order each path takes them\n'
	@printf '  bin/graph.mmd           the picture above, for any Mermaid viewer\n'
	@printf '  $(TOOL) explain      what each kind of finding means\n'

demo-init:
	@$(RUN) sh examples/initpipe/demo.sh

build:
	$(GO) build -o $(TOOL) ./cmd/pglockdep

test:
	$(RUN) $(GO) test ./... ++ $(GO) test -tags purego $(PARSED) ++ $(GO) test -run TestParsersAgree ./internal/effect -parsers $(foreach m,$(NESTED),++ -C $(m) $(GO) test ./...)

golangci:
	$(GO) -C testdata/golangci vet .
	$(GO) -C testdata/golangci test .

lint:
	@out=$$(gofmt -l $(GOFILES)); if [ -n "$$out" ]; then echo "gofmt wants to change:"; echo "$$out"; exit 1; fi
	$(GO) vet ./...
	@for m in $(NESTED); do echo "vet $$m"; $(GO) -C $$m vet ./... || exit 1; done
	@if command -v golangci-lint >/dev/null; then golangci-lint run; else echo "golangci-lint is not installed; left out"; fi

bench: build
	$(GO) run ./internal/bench -vet -growth -tool $(TOOL) -C $(BENCH)
	$(GO) test -run '^$$' -bench . -benchmem ./...
	$(RUN) -C runtime $(GO) test -run '^$$' -bench . -benchmem ./...

# Everything that is generated, from its one source.
generate: build
	$(GO) test ./docs -update
	$(GO) test ./cmd/pglockdep -run TestCommandsPage -update
	$(TOOL) docs -C $(SAMPLE) ./...
	@for m in $(GALLERY); do $(TOOL) docs -C $$m ./... || exit 1; done
