package prog

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"reflect"
	"sync"
)

// The compact form of a package: a table of strings, a table of values in
// which operands come before what is made of them, then the package itself,
// in which zero fields are left out. Equal packages give equal bytes. It is written by reflection, so that a field added to an op cannot
// be forgotten here.

const packedVersion = 2

var errPacked = errors.New("not the compact form of a package")

// Pack returns the compact form of p.
func Pack(p *Package) []byte {
	e := newPacker()
	e.value(&e.body, reflect.ValueOf(p).Elem())
	var out bytes.Buffer
	out.WriteByte(packedVersion)
	for _, part := range []struct {
		n uint64
		b *bytes.Buffer
	}{{uint64(len(e.strs) - 1), &e.strTable}, {uint64(len(e.vals)), &e.valTable}} {
		put(&out, part.n)
		out.Write(part.b.Bytes())
	}
	out.Write(e.body.Bytes())
	return out.Bytes()
}

func put(b *bytes.Buffer, n uint64) {
	var buf [binary.MaxVarintLen64]byte
	b.Write(buf[:binary.PutUvarint(buf[:], n)])
}

type packer struct {
	strs                     map[string]uint64
	vals                     map[string]uint64 // by their row of the table
	seen                     map[*Val]uint64
	strTable, valTable, body bytes.Buffer
	at                       Pos // the last one written
}

func newPacker() *packer {
	return &packer{strs: map[string]uint64{"": 0}, vals: map[string]uint64{}, seen: map[*Val]uint64{}}
}

// size returns the number of bytes written so far.
func (e *packer) size() int { return e.strTable.Len() + e.valTable.Len() + e.body.Len() }

func (e *packer) str(s string) uint64 {
	n, ok := e.strs[s]
	if !ok {
		n = uint64(len(e.strs))
		e.strs[s] = n
		put(&e.strTable, uint64(len(s)))
		e.strTable.WriteString(s)
	}
	return n
}

// val returns the number of v, from 1; equal values have one number.
func (e *packer) val(v *Val) uint64 {
	if v == nil {
		return 0
	}
	if n, ok := e.seen[v]; ok {
		return n
	}
	var row bytes.Buffer
	row.WriteByte(byte(v.Kind))
	put(&row, e.str(v.Str))
	put(&row, uint64(len(v.Of)))
	for _, o := range v.Of {
		put(&row, e.val(o))
	}
	key := row.String()
	n, ok := e.vals[key]
	if !ok {
		n = uint64(len(e.vals) + 1)
		e.vals[key] = n
		e.valTable.WriteString(key)
	}
	e.seen[v] = n
	return n
}

func (e *packer) value(b *bytes.Buffer, v reflect.Value) {
	switch v.Kind() {
	case reflect.Bool: // told by its struct
	case reflect.String:
		put(b, e.str(v.String()))
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		n := v.Int()
		put(b, uint64(n)<<1^uint64(n>>63))
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		put(b, v.Uint())
	case reflect.Slice:
		put(b, uint64(v.Len()))
		for i := range v.Len() {
			if v.Type().Elem().Kind() == reflect.Bool {
				put(b, uint64(toInt(v.Index(i).Bool())))
			} else {
				e.value(b, v.Index(i))
			}
		}
	case reflect.Pointer:
		if x, ok := v.Interface().(*Val); ok {
			put(b, e.val(x))
			return
		}
		put(b, uint64(toInt(!v.IsNil())))
		if !v.IsNil() {
			e.value(b, v.Elem())
		}
	case reflect.Struct:
		if at, ok := v.Interface().(Pos); ok {
			e.pos(b, at)
			return
		}
		mask := uint64(0)
		fields := exportedFields(v.Type())
		for i, f := range fields {
			if !v.Field(f).IsZero() {
				mask |= 1 << i
			}
		}
		put(b, mask)
		for i, f := range fields {
			if mask&(1<<i) != 0 {
				e.value(b, v.Field(f))
			}
		}
	default:
		panic("prog: a field of kind " + v.Kind().String() + " has no compact form")
	}
}

// pos writes a position as its distance from the last one.
func (e *packer) pos(b *bytes.Buffer, at Pos) {
	d := at.Line - e.at.Line
	put(b, uint64(d<<1^d>>63)<<1|uint64(toInt(at.File != e.at.File)))
	if at.File != e.at.File {
		put(b, e.str(at.File))
	}
	put(b, uint64(at.Col))
	e.at = at
}

func (d *unpacker) pos() Pos {
	n := d.uint()
	line := int(n >> 1)
	at := Pos{File: d.at.File, Line: d.at.Line + (line>>1 ^ -(line & 1))}
	if n&1 != 0 {
		at.File = d.strs[d.uint()]
	}
	at.Col = int(d.uint())
	d.at = at
	return at
}

func toInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

var fieldsOf sync.Map // reflect.Type → []int

// exportedFields returns the indexes of the fields that a form holds.
func exportedFields(t reflect.Type) []int {
	if x, ok := fieldsOf.Load(t); ok {
		return x.([]int)
	}
	var out []int
	for i := range t.NumField() {
		if t.Field(i).IsExported() {
			out = append(out, i)
		}
	}
	if len(out) > 64 {
		panic("prog: " + t.Name() + " has more fields than a mask has bits")
	}
	fieldsOf.Store(t, out)
	return out
}

// Unpack returns the package that data is the compact form of.
func Unpack(data []byte) (p *Package, err error) {
	defer func() {
		if r := recover(); r != nil {
			p, err = nil, fmt.Errorf("%w: %v", errPacked, r)
		}
	}()
	if len(data) == 0 || data[0] != packedVersion {
		return nil, errPacked
	}
	d := &unpacker{b: data[1:], strs: []string{""}, vals: []*Val{nil}}
	for range d.count() {
		n := d.count()
		d.strs = append(d.strs, string(d.b[:n]))
		d.b = d.b[n:]
	}
	for range d.count() {
		v := &Val{Kind: VKind(d.b[0])}
		d.b = d.b[1:]
		v.Str = d.strs[d.uint()]
		if n := d.count(); n > 0 {
			v.Of = make([]*Val, n)
			for i := range v.Of {
				v.Of[i] = d.vals[d.uint()]
			}
		}
		v.size() // counted now, for many may read it at once later
		d.vals = append(d.vals, v)
	}
	p = &Package{}
	d.value(reflect.ValueOf(p).Elem())
	if len(d.b) > 0 {
		return nil, errPacked
	}
	return p, nil
}

type unpacker struct {
	b    []byte
	strs []string
	vals []*Val
	at   Pos
}

func (d *unpacker) uint() uint64 {
	n, size := binary.Uvarint(d.b)
	if size <= 0 {
		panic("it ends early")
	}
	d.b = d.b[size:]
	return n
}

// count returns a number of things of at least one byte each.
func (d *unpacker) count() int {
	n := d.uint()
	if n > uint64(len(d.b)) {
		panic("it ends early")
	}
	return int(n)
}

func (d *unpacker) value(v reflect.Value) {
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(true)
	case reflect.String:
		v.SetString(d.strs[d.uint()])
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		n := d.uint()
		v.SetInt(int64(n>>1) ^ -int64(n&1))
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		v.SetUint(d.uint())
	case reflect.Slice:
		n := d.count()
		v.Set(reflect.MakeSlice(v.Type(), n, n))
		for i := range n {
			if v.Type().Elem().Kind() == reflect.Bool {
				v.Index(i).SetBool(d.uint() != 0)
			} else {
				d.value(v.Index(i))
			}
		}
	case reflect.Pointer:
		if v.Type() == reflect.TypeFor[*Val]() {
			v.Set(reflect.ValueOf(d.vals[d.uint()]))
			return
		}
		if d.uint() != 0 {
			v.Set(reflect.New(v.Type().Elem()))
			d.value(v.Elem())
		}
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[Pos]() {
			v.Set(reflect.ValueOf(d.pos()))
			return
		}
		mask := d.uint()
		for i, f := range exportedFields(v.Type()) {
			if mask&(1<<i) != 0 {
				d.value(v.Field(f))
			}
		}
	default:
		panic("a field of kind " + v.Kind().String())
	}
}
