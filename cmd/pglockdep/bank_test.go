package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pglockdep/pglockdep/lockgraph"
)

// TestBank compares the JSON of a small program with what was worked out by
// hand. Empty fields, the tool's version and notes do not count.
func TestBank(t *testing.T) {
	for _, c := range []struct {
		command string
		code    int
	}{
		{"check", exitFound},
		{"paths", exitOK},
		{"graph", exitOK},
	} {
		t.Run(c.command, func(t *testing.T) {
			first := bank(t, c.code, c.command, "-format", "json")
			want, err := os.ReadFile(filepath.Join("testdata/bank/expect", c.command+".json"))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(plain(t, want), plain(t, first)); diff != "" {
				t.Errorf("%s differs from the expectation (-want +got):\n%s", c.command, diff)
			}
			if second := bank(t, c.code, c.command, "-format", "json"); !bytes.Equal(first, second) {
				t.Errorf("two runs of %s differ", c.command)
			}
		})
	}
}

func TestBankText(t *testing.T) {
	for _, c := range []struct {
		golden string
		code   int
		args   []string
	}{
		{"check.txt", exitFound, []string{"check"}},
		{"paths.txt", exitOK, []string{"paths"}},
		{"graph.mmd", exitOK, []string{"graph", "-format", "mermaid"}},
	} {
		t.Run(c.golden, func(t *testing.T) {
			got := bank(t, c.code, c.args...)
			name := filepath.Join("testdata/bank/expect", c.golden)
			if *update {
				if err := os.WriteFile(name, got, 0o666); err != nil {
					t.Fatal(err)
				}
				return
			}
			want, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), string(got)); diff != "" {
				t.Errorf("(-want +got; go test ./cmd/pglockdep -update writes it)\n%s", diff)
			}
		})
	}
}

func TestPageTwice(t *testing.T) {
	first := bank(t, exitOK, "docs", "-o", "-")
	if second := bank(t, exitOK, "docs", "-o", "-"); len(first) == 0 || !bytes.Equal(first, second) {
		t.Errorf("two runs of docs differ:\n%s\n%s", first, second)
	}
}

// bank runs a command on the bank and returns what it printed.
func bank(t *testing.T, code int, args ...string) []byte {
	t.Helper()
	var stdout, stderr bytes.Buffer
	if got := Run(append(args, "-C", "testdata/bank"), nil, &stdout, &stderr); got != code {
		t.Fatalf("exit code %d, want %d; %s", got, code, stderr.Bytes())
	}
	if stderr.Len() > 0 {
		t.Errorf("on standard error: %s", stderr.Bytes())
	}
	return stdout.Bytes()
}

func plain(t *testing.T, data []byte) any {
	t.Helper()
	var v map[string]any
	if err := json.Unmarshal(data, &v); err != nil {
		t.Fatal(err)
	}
	if tool, ok := v["tool"].(map[string]any); ok {
		delete(tool, "version")
	}
	if list, ok := v["findings"].([]any); ok {
		v["findings"] = slices.DeleteFunc(list, func(f any) bool { return f.(map[string]any)["severity"] == lockgraph.SeverityNote })
	}
	return dropEmpty(v)
}

// dropEmpty removes fields with empty values: an output may leave them out.
func dropEmpty(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for k, e := range v {
			if e = dropEmpty(e); e == nil {
				delete(v, k)
			} else {
				v[k] = e
			}
		}
	case []any:
		if len(v) == 0 {
			return nil
		}
		for i := range v {
			v[i] = dropEmpty(v[i])
		}
	case string:
		if v == "" {
			return nil
		}
	case bool:
		if !v {
			return nil
		}
	}
	return v
}
