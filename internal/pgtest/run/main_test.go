package main

import (
	"reflect"
	"testing"
)

func TestSplit(t *testing.T) {
	got := split([]string{"go", "test", "./...", "++", "-C", "sample", "go", "vet", "++"})
	want := []command{{args: []string{"go", "test", "./..."}}, {dir: "sample", args: []string{"go", "vet"}}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("split = %v, want %v", got, want)
	}
}

func TestExitCode(t *testing.T) {
	t.Setenv("PGLOCKDEP_TEST_DSN", "postgres://elsewhere/x")
	for _, c := range []struct {
		args []string
		want int
	}{
		{nil, 2},
		{[]string{"--", "sh", "-c", `test "$PGLOCKDEP_TEST_DSN" = postgres://elsewhere/x`}, 0},
		{[]string{"--", "sh", "-c", "exit 3", "++", "sh", "-c", "exit 4"}, 3},
		{[]string{"--", "sh", "-c", "exit 0", "++", "sh", "-c", "exit 4"}, 4},
		{[]string{"--", "no-such-program"}, 2},
	} {
		if got := run(c.args); got != c.want {
			t.Errorf("run(%q) = %d, want %d", c.args, got, c.want)
		}
	}
}
