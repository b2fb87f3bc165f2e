package locksummary

import "testing"

func TestGoMigration(t *testing.T) {
	for file, want := range map[string]bool{
		"db/migrations/0001_first.go":        true,
		"migrations/20220120_first.up.go":    true,
		"internal/migrations/v0.8.0.go":      true,
		"internal/migrations/v3.go":          true,
		"db/deltas/20230516154000_drop.go":   true,
		"db/deltas/2023_drop.go":             false,
		"internal/migrations/init.go":        false,
		"internal/migrations/v3api/store.go": false,
		"internal/migrate/2fa.go":            false,
		"internal/store/v3.go":               false,
	} {
		if got := goMigration.MatchString(file); got != want {
			t.Errorf("%s: %v, want %v", file, got, want)
		}
	}
}
