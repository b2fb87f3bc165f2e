package pglog

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// An expected is what a sample holds, worked out by hand.
type expected struct {
	File      string
	Deadlocks []struct {
		Victim int
		Edges  []struct {
			Pid       int
			Mode      string
			BlockedBy int `json:"blocked_by"`
			Object    struct {
				Type, Form, Tuple, Vxid string
				Key                     int64
				Keys                    []int32
				Relation, Xid           int64
			}
		}
	}
	Statements map[string]string `json:"first_line_of_statement"`
	Relations  []string          `json:"context_relations"`
}

func TestRead(t *testing.T) {
	data, err := os.ReadFile("testdata/expected.json")
	if err != nil {
		t.Fatal(err)
	}
	var list []expected
	if err := json.Unmarshal(data, &list); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob("testdata/*.log")
	if err != nil || len(files) != len(list) || len(files) == 0 {
		t.Fatalf("%d samples, %d expectations (%v)", len(files), len(list), err)
	}
	for _, want := range list {
		t.Run(want.File, func(t *testing.T) { compare(t, &want) })
	}
}

func compare(t *testing.T, want *expected) {
	f, err := os.Open(filepath.Join("testdata", want.File))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	l, err := Read(f)
	if err != nil {
		t.Fatal(err)
	}
	if len(l.Reports) != len(want.Deadlocks) {
		t.Fatalf("%d reports, want %d: %+v", len(l.Reports), len(want.Deadlocks), l.Reports)
	}
	for i, d := range want.Deadlocks {
		r := l.Reports[i]
		if len(r.Waits) != len(d.Edges) || r.Waits[0].Process != d.Victim {
			t.Fatalf("report %d is %+v", i, r)
		}
		for j, e := range d.Edges {
			w := r.Waits[j]
			o := w.Object
			if w.Process != e.Pid || w.Mode != e.Mode || w.BlockedBy != e.BlockedBy || o.Type != e.Object.Type || o.Form != e.Object.Form || o.Key != e.Object.Key ||
				o.Tuple != e.Object.Tuple || o.Relation != e.Object.Relation {
				t.Errorf("wait %d is %+v, want %+v", j, w, e)
			}
			if id := e.Object.Vxid; o.Type == "virtualxid" && o.ID != id || o.Type == "transaction" && o.ID != strconv.FormatInt(e.Object.Xid, 10) {
				t.Errorf("wait %d is for %+v, want %+v", j, o, e.Object)
			}
		}
		for pid, first := range want.Statements {
			n, _ := strconv.Atoi(pid)
			got, _, _ := strings.Cut(r.Statements[n], "\n")
			if strings.TrimSpace(got) != strings.TrimSpace(first) && !(first == "" && got != "") {
				t.Errorf("process %s runs %q, want %q", pid, got, first)
			}
		}
		// The expectation holds what the contexts of the whole file name.
		for _, rel := range r.Relations {
			if !slices.Contains(want.Relations, rel) {
				t.Errorf("relations %v, want some of %v", r.Relations, want.Relations)
			}
		}
		if len(r.Relations) == 0 && len(want.Relations) > 0 {
			t.Errorf("no relation, want some of %v", want.Relations)
		}
	}
}

func TestClientsAlone(t *testing.T) {
	f, err := os.Open("testdata/r15-go-error-strings.log")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	l, err := Read(f)
	if err != nil {
		t.Fatal(err)
	}
	if want := []int{1, 2, 3, 4, 5, 7}; !slices.Equal(l.Clients, want) {
		t.Errorf("lines %v, want %v", l.Clients, want)
	}
}

// TestStructured reads csvlog, whose records span lines, and jsonlog.
func TestStructured(t *testing.T) {
	detail := "Process 7 waits for ShareLock on transaction 100; blocked by process 9.\nProcess 9 waits for AccessExclusiveLock on relation 1663 of database 5; blocked by process 7.\nProcess 7: UPDATE a SET n = 1\nWHERE x = 'q'\nProcess 9: LOCK TABLE a"
	csv := `2031-01-01 10:00:00.000 UTC,"app","shop",7,"[local]",6b0c.7,3,"UPDATE",2031-01-01 09:00:00 UTC,3/7,101,ERROR,40P01,"deadlock detected","` + detail + `","See server log for query details.",,,"while updating tuple (0,1) in relation ""a""","UPDATE a SET n = 1
WHERE x = 'q'",,,"psql","client backend",,0
2031-01-01 10:00:01.000 UTC,"app","shop",7,"[local]",6b0c.7,4,"UPDATE",2031-01-01 09:00:00 UTC,3/7,101,LOG,00000,"deadlock detected, says the program",,,,,,,,,"psql","client backend",,0
`
	rec, err := json.Marshal(map[string]any{"timestamp": "2031-01-01 10:00:00 UTC", "pid": 7, "error_severity": "ОШИБКА", "state_code": "40P01", "message": "x", "detail": detail, "context": `while updating tuple (0,1) in relation "a"`})
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"csv": csv, "json": "{\"state_code\":\"00000\"}\n" + string(rec) + "\n{\"cut off"} {
		l, err := Read(strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		if len(l.Reports) != 1 {
			t.Fatalf("%s: %+v", name, l)
		}
		r := l.Reports[0]
		if len(r.Waits) != 2 || r.Waits[1].Object != (Object{Type: "relation", Relation: 1663}) || r.Statements[7] != "UPDATE a SET n = 1\nWHERE x = 'q'" ||
			r.Statements[9] != "LOCK TABLE a" || !slices.Equal(r.Relations, []string{"a"}) {
			t.Errorf("%s: %+v", name, r)
		}
	}
}

// TestTerse reads a log that names no process.
func TestTerse(t *testing.T) {
	l, err := Read(strings.NewReader("t [7] ERROR:  deadlock detected\nt [7] STATEMENT:  UPDATE a\nt [9] ERROR:  deadlock detected\n"))
	if err != nil || len(l.Reports) != 0 || !slices.Equal(l.Bare, []int{1, 3}) {
		t.Errorf("%+v, %v", l, err)
	}
}

func TestNegativeKeysAndPairs(t *testing.T) {
	for text, want := range map[string]Object{
		"advisory lock [1,2204442218,1537379664,1]": {Type: "advisory", Form: "bigint", Key: -8978736839940469424},
		"advisory lock [1,4294967295,7,2]":          {Type: "advisory", Form: "int4x2", Key1: -1, Key2: 7},
		"virtual transaction 4/232":                 {Type: "virtualxid", ID: "4/232"},
	} {
		if got := objectOf(text); got != want {
			t.Errorf("%s is %+v, want %+v", text, got, want)
		}
	}
}

func FuzzRead(f *testing.F) {
	files, _ := filepath.Glob("testdata/*.log")
	for _, name := range files {
		if data, err := os.ReadFile(name); err == nil {
			f.Add(string(data))
		}
	}
	f.Add("2031-01-01 10:00:00 UTC,\"a\",b,7,\"x")
	f.Add("{\"state_code\":\"40P01\"")
	f.Fuzz(func(t *testing.T, text string) {
		l, err := Read(strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range l.Reports {
			if len(r.Waits) == 0 || r.Line < 1 {
				t.Errorf("an empty report: %+v", r)
			}
		}
	})
}
