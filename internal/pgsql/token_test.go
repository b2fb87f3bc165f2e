package pgsql

import "testing"

func TestTokenValue(t *testing.T) {
	for in, want := range map[string]string{
		`'a''b'`: "a'b", `E'a\n\'\x41\101\u00e9\\'`: "a\n'AAé\\", `$$a'b$$`: "a'b", `$t$a$$b$t$`: "a$$b", `n'x'`: "x", `U&'y'`: "y",
		"'a'\n  'b''c'": "ab'c",
	} {
		toks, err := Scan(in)
		if err != nil || len(toks) != 1 || toks[0].Kind != Literal || toks[0].Value() != want {
			t.Errorf("%s: %v %q, %v", in, toks, toks[0].Value(), err)
		}
		if v := toks[0].ValueStart(); in[v-1] != '\'' && in[v-1] != '$' {
			t.Errorf("%s starts at %d", in, v)
		}
	}
	if toks, _ := Scan(`Ab "C""d" U&"e"`); toks[0].Name() != "ab" || toks[1].Name() != `C"d` || toks[2].Name() != "e" {
		t.Errorf("%v", toks)
	}
	for _, in := range []string{`'a`, `"a`, `$$a`, `/* /* */`, `e'\'`} {
		toks, err := Scan("x " + in)
		if err == nil || len(toks) != 2 || !toks[1].Open || toks[1].Text != in {
			t.Errorf("%s: %v, %v", in, toks, err)
		}
	}
}
