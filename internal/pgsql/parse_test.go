package pgsql

import (
	"fmt"
	"strings"
	"testing"
)

func texts(stmts []Stmt) []string {
	var out []string
	for _, s := range stmts {
		out = append(out, s.Text)
	}
	return out
}

func same(a, b []string) bool {
	return strings.Join(a, "\x01") == strings.Join(b, "\x01") && len(a) == len(b)
}

func TestSplit(t *testing.T) {
	for _, tt := range []struct {
		name, in string
		want     []string
	}{
		{"empty", " \n-- only a comment\n", nil},
		{"two", "select 1; select 2", []string{"select 1", "select 2"}},
		{"empty statements", ";;select 1;;", []string{"select 1"}},
		{"crlf", "select 1;\r\nselect 2;\r\n", []string{"select 1", "select 2"}},
		{"bom", "\ufeffselect 1;", []string{"select 1"}},
		{"quotes", `select ';', E'\';', $a$;$$;$a$, ";" ; select 2`, []string{`select ';', E'\';', $a$;$$;$a$, ";"`, "select 2"}},
		{"comments", "/* ; /* ; */ ; */ select 1 -- ;\n + 2; select 3", []string{"select 1 -- ;\n + 2", "select 3"}},
		{"psql", "\\set x 1\nselect 1;\n\\i other.sql\nselect 2 \\gset\nselect 3;", []string{"select 1", "select 2", "select 3"}},
		{"copy", "copy t (a, b) from stdin;\n1\t';\n\\N\t(\n\\.\n\nselect 2;", []string{"copy t (a, b) from stdin", "select 2"}},
		{"copy without data", "copy t from stdin; select 2", []string{"copy t from stdin", "select 2"}},
		{"rule", "create rule r as on insert to t do (select 1; select 2); select 3", []string{"create rule r as on insert to t do (select 1; select 2)", "select 3"}},
		{"open paren", "select (1; select 2", []string{"select (1", "select 2"}},
		{"atomic",
			"create function f() returns int begin atomic select 1; select case when true then 2 end; end; select 3",
			[]string{"create function f() returns int begin atomic select 1; select case when true then 2 end; end", "select 3"}},
		{"atomic without end",
			"create or replace procedure f() begin atomic select 1; select 2; select 3",
			[]string{"create or replace procedure f() begin atomic select 1", "select 2", "select 3"}},
		{"begin end", "begin; select 1; end; select 2", []string{"begin", "select 1", "end", "select 2"}},
	} {
		if got := texts(Parse(tt.in)); !same(got, tt.want) {
			t.Errorf("%s:\n got %q\nwant %q", tt.name, got, tt.want)
		}
	}
}

func TestParsePlaces(t *testing.T) {
	in := "\ufeff-- first\r\nselect 1;\r\n\r\n  /* é */ select 'é' frm t;\r\nselect 3"
	s := Parse(in)
	if len(s) != 3 {
		t.Fatalf("got %d statements", len(s))
	}
	for i, line := range []int{2, 4, 5} {
		if s[i].Line != line || in[s[i].Offset:s[i].Offset+len(s[i].Text)] != s[i].Text {
			t.Errorf("statement %d: line %d offset %d", i, s[i].Line, s[i].Offset)
		}
	}
	if !strings.Contains(s[0].Lead, "-- first") {
		t.Errorf("lead %q", s[0].Lead)
	}
	if e := s[1].Err; e == nil || e.Line != 4 || in[e.Offset:e.Offset+1] != "t" || e.Column != 26 {
		t.Errorf("error %+v", s[1].Err)
	}
	if s[0].Tree == nil || s[2].Tree == nil || s[1].Tree != nil {
		t.Error("trees")
	}
}

func TestGuards(t *testing.T) {
	rep := strings.Repeat
	for _, tt := range []struct{ name, in, want string }{
		{"operators", "select 1" + rep("+1", 100_000), "too deep"},
		{"unions", "select 1" + rep(" union all select 1, 2", 20_000), "too deep"},
		{"joins", "select 1 from a" + rep(" join a on b and c", 20_000), "too deep"},
		{"nots", "select " + rep("not ", 20_000) + "true", "too deep"},
		{"casts", "select 1" + rep("::int", 20_000), "too deep"},
		{"parens", "select " + rep("(", 10_000) + "1" + rep(")", 10_000), "too deep"},
		{"brackets", "select " + rep("array[", 10_000) + "1" + rep("]", 10_000), "too deep"},
		{"cases", "select " + rep("case when true then ", 10_000) + "1" + rep(" end", 10_000), "too deep"},
		{"paren sums", "select " + rep("(1+", 5_000) + "1" + rep(")", 5_000), "too deep"},
		{"nul", "select 1\x00, pg_advisory_lock(1)", "NUL byte"},
		{"utf8", "select '\xff'", "invalid UTF-8"},
		{"size", "select '" + rep("x", 4<<20) + "'", "larger than 4 MiB"},
	} {
		s := Parse("select 0;" + tt.in + ";select 2")
		if len(s) != 3 || s[0].Err != nil || s[2].Err != nil {
			t.Errorf("%s: the neighbours were lost (%d statements)", tt.name, len(s))
			continue
		}
		if s[1].Err == nil || !strings.Contains(s[1].Err.Message, tt.want) {
			t.Errorf("%s: error %v, want %q", tt.name, s[1].Err, tt.want)
		}
	}
}

func TestFlatIsNotDeep(t *testing.T) {
	rep := strings.Repeat
	for name, in := range map[string]string{
		"and":    "select true" + rep(" and a = 1", 10_000),
		"in":     "select 1 in (1" + rep(", -1", 10_000) + ")",
		"values": "insert into t values (1)" + rep(", (-1::int)", 10_000),
	} {
		if s := Parse(in); len(s) != 1 || s[0].Err != nil {
			t.Errorf("%s: %v", name, s[0].Err)
		}
	}
}

func TestOneBrokenAmongMany(t *testing.T) {
	var b strings.Builder
	for i := range 1000 {
		if i == 500 {
			b.WriteString("selec broken (;\n")
		}
		fmt.Fprintf(&b, "select %d;\n", i)
	}
	s := Parse(b.String())
	bad := 0
	for _, st := range s {
		if st.Err != nil {
			bad++
			if st.Err.Line != 501 {
				t.Errorf("error on line %d", st.Err.Line)
			}
		}
	}
	if len(s) != 1001 || bad != 1 {
		t.Fatalf("%d statements, %d bad", len(s), bad)
	}
}

func TestRebind(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{"select * from t where a = ? and b=? limit ?", "select * from t where a = $1 and b=$2 limit $3"},
		{"insert into t values (?,?, ?)", "insert into t values ($1,$2, $3)"},
		{"select data ? 'k', data ?| array['a'] from t where id = $1", "select data ? 'k', data ?| array['a'] from t where id = $1"},
		{"select '?', \"?\", $$?$$ -- ?", "select '?', \"?\", $$?$$ -- ?"},
		{"select a[1:2], a[x:y], b::int", "select a[1:2], a[x:y], b::int"},
		{"select :a, :'b', :a::text where x=:c", "select $1, $2, $1::text where x=$3"},
		{"select @id, @id::bigint, a @> b where x=@y", "select $1, $1::bigint, a @> b where x=$2"},
		{"select $2, ?", "select $2, $3"},
		{"select ?||'x'", "select $1||'x'"},
		{"f(a := 1)", "f(a := 1)"},
	} {
		if got := Rebind(tt.in); got != tt.want {
			t.Errorf("%s:\n got %s\nwant %s", tt.in, got, tt.want)
		}
	}
	s := Parse("select @id from t where b = :b")
	if s[0].Err != nil || !same(s[0].Names, []string{"id", "b"}) || s[0].Bound == s[0].Text {
		t.Errorf("%+v", s[0])
	}
	if s := Parse("select data ? 'k' from t"); s[0].Err != nil || s[0].Bound != s[0].Text {
		t.Errorf("%+v", s[0])
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{
		"select 1; select 2", "\ufeffcopy t from stdin;\n1\n\\.\n", "select $$a", "create function f() begin atomic select 1; end",
		"\\x\nselect :a, ?, @b", "select '\xff\x00'", "/* /* */", "select ((((", "create rule r as on insert to t do (a; b",
		"update t set a = e'\\'' where b ?| array[1]", "BEGIN LOOP EXIT", "begin <<a", "declare a alias for", "begin open", "begin raise",
		"begin for i in 1..", "begin perform", "begin a[1", "begin fetch", "begin if a then else",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, in string) {
		end := 0
		for _, s := range Parse(in) {
			if s.Offset < end || in[s.Offset:s.Offset+len(s.Text)] != s.Text || (s.Err == nil) == (s.Tree == nil) {
				t.Fatalf("statement %+v after %d", s, end)
			}
			end = s.Offset + len(s.Text)
		}
		if _, err := ParseBody(in); err != nil && strings.Contains(err.Error(), "failed:") {
			t.Fatal(err)
		}
	})
}
