package initpipe

import (
	"os"
	"testing"

	"github.com/pglockdep/pglockdep/runtime/internal/testdb"
)

func TestMain(m *testing.M) {
	if os.Getenv(envChild) != "" {
		os.Exit(child())
	}
	testdb.Main(m)
}
