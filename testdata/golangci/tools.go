//go:build tools

// Package tools names what is built, so that the module requires it.
package tools

import (
	_ "github.com/golangci/golangci-lint/v2/cmd/golangci-lint"

	_ "github.com/pglockdep/pglockdep/golangci"
)
