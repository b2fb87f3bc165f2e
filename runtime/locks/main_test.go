package locks

import (
	"testing"

	"github.com/pglockdep/pglockdep/runtime/internal/testdb"
)

func TestMain(m *testing.M) { testdb.Main(m) }
