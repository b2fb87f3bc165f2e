package locks

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/pglockdep/pglockdep/runtime/internal/testdb"
)

func TestVerifyHash(t *testing.T) {
	w := newWorld(t)
	if err := VerifyHash(bg, w.pool); err != nil {
		t.Errorf("UTF8: %v", err)
	}
	for _, enc := range []string{"LATIN1", "SQL_ASCII"} {
		pool := testdb.Pool(t, testdb.Database(t, "template template0 encoding "+enc))
		if err := VerifyHash(bg, pool); !errors.Is(err, ErrHash) || !strings.Contains(err.Error(), enc) {
			t.Errorf("%s: %v", enc, err)
		}
	}
}

func exportOf(t *testing.T, r *Registry) []byte {
	t.Helper()
	ok(NewNumbers(r, "shard", 5000, 5015))(t)
	ok(NewFamily[uuid](r, "grant", Serializes("Changes of one grant")))(t)
	ok(NewFamily[orderID](r, "it's", Seed(-3)))(t)
	var b bytes.Buffer
	if err := r.Export(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// The SQL of the exported file makes the keys of its examples.
func TestExportedSQL(t *testing.T) {
	w := newWorld(t)
	data := exportOf(t, w.reg)
	sql := ok(os.ReadFile("examples/keys.sql"))(t)
	var n int
	var wrong *string
	if err := w.pool.QueryRow(bg, strings.TrimSuffix(strings.TrimSpace(string(sql)), ";"), string(data)).Scan(&n, &wrong); err != nil {
		t.Fatal(err)
	}
	if n < 20 || wrong != nil {
		t.Errorf("%d hashes compared, wrong: %v", n, wrong)
	}
	var file exported
	if err := json.Unmarshal(data, &file); err != nil {
		t.Fatal(err)
	}
	if len(file.Families) != 7 {
		t.Errorf("%d families", len(file.Families))
	}
	for _, f := range file.Families {
		for _, e := range f.Examples {
			want := e.Key
			got := w.exec(w.pool, "select array_to_string(array["+strings.ReplaceAll(f.SQL, "$1", "'"+e.ID+"'")+"], ', ')")
			if got != want {
				t.Errorf("%s: SQL makes %s, the example says %s", f.Name, got, want)
			}
		}
	}
}

func TestExportedFileInPython(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Fatalf("%v; on Debian: apt-get install python3", err)
	}
	cmd := exec.Command(python, "examples/keys.py")
	cmd.Stdin = bytes.NewReader(exportOf(t, newWorld(t).reg))
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.HasSuffix(string(out), " hashes and keys agree\n") {
		t.Errorf("%v\n%s", err, out)
	}
}
