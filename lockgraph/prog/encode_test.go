package prog

import (
	"bytes"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
)

// filled sets every exported field below v to something else than zero, so
// that a field without a compact form shows.
func filled(v reflect.Value, r *rand.Rand, depth int) {
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(true)
	case reflect.String:
		v.SetString(strings.Repeat("x", 1+r.IntN(3)))
	case reflect.Int, reflect.Int64:
		v.SetInt(int64(r.IntN(1000) - 500))
	case reflect.Uint8, reflect.Uint32:
		v.SetUint(uint64(1 + r.IntN(5)))
	case reflect.Slice:
		if depth > 5 {
			return
		}
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		for i := range 2 {
			filled(v.Index(i), r, depth+1)
		}
	case reflect.Pointer:
		if depth > 5 {
			return
		}
		v.Set(reflect.New(v.Type().Elem()))
		filled(v.Elem(), r, depth+1)
	case reflect.Struct:
		for _, f := range exportedFields(v.Type()) {
			filled(v.Field(f), r, depth+1)
		}
	default:
		panic(v.Kind())
	}
}

func TestPack(t *testing.T) {
	var p Package
	filled(reflect.ValueOf(&p).Elem(), rand.New(rand.NewPCG(1, 2)), 0)
	data := Pack(&p)
	q, err := Unpack(data)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(Pack(q), data) {
		t.Error("packing what was unpacked gives other bytes")
	}
	for i, f := range p.Funcs {
		if got, want := Format(q.Funcs[i]), Format(f); got != want {
			t.Errorf("the text form differs\n got %s\nwant %s", got, want)
		}
	}
	for i := range p.Fields {
		if !Equal(p.Fields[i].Val, q.Fields[i].Val) {
			t.Errorf("field %d holds %v, want %v", i, q.Fields[i].Val, p.Fields[i].Val)
		}
	}
	if !reflect.DeepEqual(p.Impls, q.Impls) || !reflect.DeepEqual(p.Names, q.Names) || !reflect.DeepEqual(p.Structs, q.Structs) || !reflect.DeepEqual(p.Unknowns, q.Unknowns) {
		t.Error("names, methods, structs or unknowns differ")
	}
}

// TestPackShared wants a value that is shared many times over to be written
// once, though its tree has 2^40 nodes.
func TestPackShared(t *testing.T) {
	v := Text("leaf")
	for range 40 {
		v = New(VConcat, "", v, v)
	}
	data := Pack(&Package{Fields: []FieldStore{{Field: "f", Val: v}}})
	if len(data) > 1000 {
		t.Errorf("%d bytes", len(data))
	}
	q, err := Unpack(data)
	if err != nil {
		t.Fatal(err)
	}
	u := q.Fields[0].Val
	for range 40 {
		if len(u.Of) != 2 || u.Of[0] != u.Of[1] {
			t.Fatal("what was one value is two")
		}
		u = u.Of[0]
	}
	if s, _ := u.AsText(); s != "leaf" {
		t.Errorf("the leaf is %q", s)
	}
}

// TestUnpackDamaged wants an error, never a panic or a hang, of damaged
// bytes.
func TestUnpackDamaged(t *testing.T) {
	var p Package
	r := rand.New(rand.NewPCG(3, 4))
	filled(reflect.ValueOf(&p).Elem(), r, 2)
	data := Pack(&p)
	for n := range len(data) {
		if _, err := Unpack(data[:n]); err == nil {
			t.Fatalf("the first %d of %d bytes pass", n, len(data))
		}
	}
	for range 2000 {
		bad := bytes.Clone(data)
		for range 1 + r.IntN(3) {
			bad[r.IntN(len(bad))] ^= byte(1 + r.IntN(255))
		}
		if q, err := Unpack(bad); err == nil && q == nil {
			t.Fatal("neither a package nor an error")
		}
	}
}
