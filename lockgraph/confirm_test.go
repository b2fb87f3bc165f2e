package lockgraph

import "testing"

func TestUnifier(t *testing.T) {
	const x, y, five, text5, six, shared = `param "x"`, `param "y"`, `const "i:5"`, `const "s:5"`, `const "i:6"`, `global "app.id"`
	var u unifier
	for _, c := range []struct {
		i    int
		a    string
		j    int
		b    string
		want bool
	}{
		{0, x, 1, x, true},
		{1, x, 2, five, true},
		{0, x, 2, text5, true},  // 5 and '5' are one key
		{0, x, 2, six, false},   // x is 5 by now
		{0, y, 1, "hole", true}, // an unknown value says nothing
		{1, y, 2, six, true},
		{0, y, 1, y, true},
		{0, y, 0, x, false}, // 6 and 5
		{0, shared, 3, six, true},
		{3, shared, 0, five, false}, // one variable in every side
	} {
		if got := u.join(c.i, c.a, c.j, c.b); got != c.want {
			t.Errorf("join(%d %s, %d %s) = %v", c.i, c.a, c.j, c.b, got)
		}
	}
	for _, c := range []struct {
		i    int
		a    string
		j    int
		b    string
		want bool
	}{
		{0, x, 1, x, true}, {0, x, 3, five, true}, {0, x, 0, y, false}, {5, x, 6, x, false}, {0, "hole", 0, "hole", false},
	} {
		if got := u.equal(c.i, c.a, c.j, c.b); got != c.want {
			t.Errorf("equal(%d %s, %d %s) = %v", c.i, c.a, c.j, c.b, got)
		}
	}
}

func TestConstant(t *testing.T) {
	for text, want := range map[string]string{
		`const "i:5"`: "5", `const "s:a:b"`: "a:b", `const "nil"`: "nil", `const 7`: "7", `const "b:true"`: "true", `const "`: `"`,
	} {
		if got, ok := constant(text); !ok || got != want {
			t.Errorf("constant(%s) = %q %v, want %q", text, got, ok, want)
		}
	}
	for _, text := range []string{"", "param \"1\"", "constant"} {
		if _, ok := constant(text); ok {
			t.Errorf("%q is no constant", text)
		}
	}
}

func FuzzParseOrder(f *testing.F) {
	for _, s := range []string{"a < b;", "a, b < c !< d; # why", "a < a; # x", "\"", "LAYER < a;\n# c\n", ";;<!<,"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		o, err := ParseOrder(text)
		if err != nil {
			return
		}
		for _, a := range o.Names() {
			if o.Less(a, a) {
				t.Errorf("%q comes before itself", a)
			}
			for _, b := range o.Names() {
				if o.Less(a, b) && o.Less(b, a) {
					t.Errorf("%q and %q come before each other", a, b)
				}
			}
		}
		o.Layers()
	})
}
