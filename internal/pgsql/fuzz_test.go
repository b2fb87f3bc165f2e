package pgsql

import (
	"strings"
	"testing"
)

// FuzzSplit looks for text in which the scanner or the splitter loses its
// place, and for text whose depth the guard takes long to tell.
func FuzzSplit(f *testing.F) {
	for _, s := range []string{
		"select 1; select 2", "\ufeffcopy t from stdin;\n1\n\\.\nselect 1", "copy t from stdin", "select $a$ $b$ $a$; x", "select e'\\'; ' || u&'\\0041';",
		"create function f() begin atomic select case when a then b end; end; select 2", "create rule r as on insert to t do (a; b); c",
		"/* /* */ ; */ a", "-- ;\na", "\\restrict x\nselect 1", "select ((((", "a::b::c + [1]", "case case end", "\xff;\x00", "$1$1$", "'",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, in string) {
		toks, _ := Scan(in)
		end := 0
		for _, k := range toks {
			if k.Start < end || k.End <= k.Start || k.End > len(in) {
				t.Fatalf("token %+v after %d of %d", k, end, len(in))
			}
			end = k.End
		}
		_ = guard(in, toks)
		end = 0
		for _, p := range split(in) {
			if p.lead < end || p.start < p.lead || p.end <= p.start || p.end > len(in) {
				t.Fatalf("piece %+v after %d of %d", p, end, len(in))
			}
			end = p.end
		}
	})
}

// FuzzBody looks for bodies of PL/pgSQL that the reader loses its place in.
func FuzzBody(f *testing.F) {
	for _, s := range []string{
		bodyText, "BEGIN LOOP EXIT", "begin <<a", "declare a alias for", "begin open", "begin raise", "begin for i in 1..", "begin perform", "begin a[1",
		"begin fetch", "begin if a then else", "begin exception when others then end", "begin case a when", "begin return query execute", "begin foreach x slice",
		"declare c cursor for", "begin execute 'a' into strict", "begin begin begin end; end", "begin a := $x$ ; $x$; end",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, in string) {
		b, err := ParseBody(in)
		if err != nil {
			if strings.Contains(err.Error(), "failed:") {
				t.Fatal(err)
			}
			return
		}
		placed(t, in, b.Body)
	})
}

// placed wants the statements of a list one after another within the body.
func placed(t *testing.T, in string, list []PL) {
	end := 0
	for _, s := range list {
		if s.Offset < end || s.End < s.Offset || s.End > len(in) || s.TextOffset+len(s.Text) > len(in) && s.Text != "" && s.Kind == PLSQL {
			t.Fatalf("statement %s at %d to %d after %d of %d", s.Kind, s.Offset, s.End, end, len(in))
		}
		end = s.End
		for _, a := range s.Arms {
			placed(t, in, a.Body)
		}
		placed(t, in, s.Else)
		placed(t, in, s.Body)
		if s.Block != nil {
			placed(t, in, s.Block.Body)
			for _, h := range s.Block.Handlers {
				placed(t, in, h.Body)
			}
		}
	}
}
