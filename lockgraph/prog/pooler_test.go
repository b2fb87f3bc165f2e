package prog

import (
	"strings"
	"testing"
)

func TestPoolerIn(t *testing.T) {
	for _, c := range []struct {
		dsn, signs string
		sure       bool
	}{
		{"postgres://app@db:5432/app", "", false},
		{"postgres://pgbouncer:6432@db/odyssey", "", false},
		{"postgres://app@pgbouncer/app", "host pgbouncer", false},
		{"host=pg-pooler.internal user=app", "host pooler", false},
		{"pgcat:5432", "host pgcat", false},
		{"postgres://app@a:6432,b:6432/app", "port 6432", false},
		{"postgres://app@db/app?statement_cache_capacity=0", "statement_cache_capacity=0", false},
		{"postgres://app@db:6432/app?statement_cache_capacity=0", "port 6432, statement_cache_capacity=0", true},
		{"host=  port=6432 binary_parameters=yes", "port 6432, binary_parameters=yes", true},
		{"postgres://app@db/app?pgbouncer=true", "pgbouncer=true", true},
		{"postgres://app@db/app?pool_mode=session", "", false},
		{"postgres://x@ep-cool-1-pooler.eu.neon.tech/db", "host pooler", true},
		{"postgres://x@aws-0.pooler.supabase.com:6543/postgres", "host pooler", true},
		{"postgres://x@aws-0.pooler.supabase.com:5432/postgres", "host pooler", false},
	} {
		got := poolerIn([]string{c.dsn})
		if signs := strings.Join(got.Signs, ", "); signs != c.signs || got.Sure != c.sure {
			t.Errorf("%s: %q, sure %v, want %q, %v", c.dsn, signs, got.Sure, c.signs, c.sure)
		}
	}
}
