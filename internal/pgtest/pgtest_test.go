package pgtest

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/jackc/pgx/v5"
)

func TestStart(t *testing.T) {
	t.Setenv(Env, "")
	ctx := context.Background()
	s, err := Launch(io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	conn, err := pgx.Connect(ctx, s.DSN)
	if err != nil {
		s.Stop()
		t.Fatal(err)
	}
	var super string
	err = conn.QueryRow(ctx, "SELECT current_setting('is_superuser')").Scan(&super)
	conn.Close(ctx)
	if stop := s.Stop(); stop != nil {
		t.Error(stop)
	}
	if err != nil || super != "on" {
		t.Errorf("is_superuser = %q, %v", super, err)
	}
	if _, err := os.Stat(s.dir); !os.IsNotExist(err) {
		t.Errorf("after Stop the folder is still there: %v", err)
	}
	if _, err := pgx.Connect(ctx, s.DSN); err == nil {
		t.Error("after Stop the server still takes connections")
	}
}

func TestStartUsesTheNamedServer(t *testing.T) {
	t.Setenv(Env, "postgres://elsewhere/x")
	if got := Start(t); got != "postgres://elsewhere/x" {
		t.Errorf("Start = %q", got)
	}
}

func TestFind(t *testing.T) {
	t.Setenv("PATH", "")
	root := t.TempDir()
	for _, name := range []string{"9.6/bin/initdb", "9.6/bin/postgres", "15/bin/initdb", "15/bin/postgres", "16/bin/initdb"} {
		file := filepath.Join(root, "lib", name)
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, nil, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(root) // so that the numbers of the temporary folder do not count
	bin, ok := find([]string{"lib/*/bin"})
	if want := filepath.FromSlash("lib/15/bin"); !ok || bin != want {
		t.Errorf("find = %q, %v; want %q, the newest that is whole", bin, ok, want)
	}
	if bin, ok := find([]string{"none/*/bin"}); ok {
		t.Errorf("find in an empty place = %q", bin)
	}
}
