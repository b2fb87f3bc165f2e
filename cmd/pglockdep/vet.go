package main

import (
	"strings"

	"golang.org/x/tools/go/analysis/unitchecker"

	"github.com/pglockdep/pglockdep/analyzers"
)

// vetProtocol reports whether the arguments are those of go vet.
func vetProtocol(args []string) bool {
	if len(args) == 0 {
		return false
	}
	for _, a := range args {
		if a == "-V=full" || a == "-flags" {
			return true
		}
	}
	return strings.HasSuffix(args[len(args)-1], ".cfg")
}

func vetMain() { unitchecker.Main(analyzers.Analyzers()...) }
