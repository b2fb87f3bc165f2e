package lockwait

import (
	"testing"

	"github.com/pglockdep/pglockdep/internal/checktest"
)

func TestCheck(t *testing.T) { checktest.Run(t, "testdata", Check) }
