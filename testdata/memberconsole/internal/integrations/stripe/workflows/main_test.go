package workflows_test

import (
	"testing"

	"example.test/memberconsole/internal/testdb"
)

func TestMain(m *testing.M) { testdb.Main(m) }
