package config

import (
	"cmp"
	"errors"
	"fmt"
	"path"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"

	"github.com/pglockdep/pglockdep/lockgraph"
)

// Bounds of what is read as a configuration. A larger file is another file
// by mistake, and the YAML library takes quadratic time over deep nesting.
const (
	maxSize  = 1 << 18
	maxLine  = 1 << 12
	maxDepth = 100
)

// Parse reads the content of a file; name stands in its errors.
func Parse(name string, data []byte) (cfg *Config, err error) {
	d := &decoder{file: name, lines: map[string]int{}, source: strings.Split(string(data), "\n")}
	defer func() {
		// The YAML library has panicked on odd input before.
		if r := recover(); r != nil {
			cfg, err = nil, Errors{{name, 1, 1, fmt.Sprintf("cannot be read as YAML: %v", r)}}
		}
	}()
	if e := refuse(name, data); e != nil {
		return nil, Errors{e}
	}
	file, err := parser.ParseBytes(data, 0)
	if err != nil {
		return nil, Errors{syntaxError(name, err)}
	}
	cfg = Default()
	cfg.File = name
	docs := slices.DeleteFunc(slices.Clone(file.Docs), func(doc *ast.DocumentNode) bool { return doc.Body == nil })
	if len(docs) > 1 {
		d.fail(docs[1].Body, "a second document; the configuration is one")
	}
	if len(docs) > 0 {
		d.value(docs[0].Body, reflect.ValueOf(cfg).Elem(), "", "the configuration")
	}
	if len(d.errs) > 0 {
		slices.SortStableFunc(d.errs, func(x, y *Error) int {
			return cmp.Or(cmp.Compare(x.Line, y.Line), cmp.Compare(x.Column, y.Column))
		})
		return nil, d.errs
	}
	if len(d.lines) > 0 {
		cfg.lines = d.lines
	}
	return cfg, nil
}

// refuse tells what the library must not be given.
func refuse(name string, data []byte) *Error {
	if len(data) > maxSize {
		return &Error{name, 1, 1, fmt.Sprintf("is larger than %d bytes", maxSize)}
	}
	line, column, depth := 1, 0, 0
	for _, c := range data {
		column++
		switch c {
		case '\n':
			line, column = line+1, 0
		case '[', '{':
			depth++
		case ']', '}':
			depth = max(0, depth-1)
		case 0:
			return &Error{name, line, column, "holds a NUL byte"}
		}
		if column > maxLine {
			return &Error{name, line, column, fmt.Sprintf("a line is longer than %d bytes", maxLine)}
		}
		if depth > maxDepth {
			return &Error{name, line, column, "brackets are nested too deeply"}
		}
	}
	return nil
}

func syntaxError(name string, err error) *Error {
	e := &Error{File: name, Line: 1, Column: 1, Text: err.Error()}
	var at yaml.Error
	if errors.As(err, &at) {
		e.Text = at.GetMessage()
		if tk := at.GetToken(); tk != nil && tk.Position != nil {
			e.Line, e.Column = tk.Position.Line, tk.Position.Column
		}
	}
	e.Text, _, _ = strings.Cut(strings.TrimSpace(e.Text), "\n")
	return e
}

// A decoder fills a struct from a tree and collects all that is wrong: one
// run of the tool should show every fault of the file.
type decoder struct {
	file   string
	errs   Errors
	lines  map[string]int // of the strings of lists
	source []string       // the file, line by line
	depth  int
}

func (d *decoder) fail(n ast.Node, format string, args ...any) {
	e := &Error{File: d.file, Line: 1, Column: 1, Text: fmt.Sprintf(format, args...)}
	if tk := start(n); tk != nil && tk.Position != nil {
		e.Line, e.Column = tk.Position.Line, tk.Position.Column
	}
	d.errs = append(d.errs, e)
}

// start is the token a node begins with; mappings answer with a later one.
func start(n ast.Node) *token.Token {
	switch n := n.(type) {
	case nil:
		return nil
	case *ast.MappingNode:
		if len(n.Values) > 0 && !n.IsFlowStyle {
			return n.Values[0].Key.GetToken()
		}
	case *ast.MappingValueNode:
		return n.Key.GetToken()
	}
	return n.GetToken()
}

// value decodes n into v. Tag holds the constraints of the field, what
// names the place for messages.
func (d *decoder) value(n ast.Node, v reflect.Value, tag reflect.StructTag, what string) {
	if d.depth > maxDepth {
		d.fail(n, "%s is nested too deeply", what)
		return
	}
	d.depth++
	defer func() { d.depth-- }()
	switch n.(type) {
	case *ast.AnchorNode, *ast.AliasNode, *ast.TagNode, *ast.MergeKeyNode:
		d.fail(n, "%s uses an anchor, alias, tag or merge key, which this file does without", what)
		return
	case *ast.NullNode:
		return // a key without a value keeps its default
	}
	switch v.Kind() {
	case reflect.String:
		d.text(n, v, tag, what)
	case reflect.Int:
		i, ok := n.(*ast.IntegerNode)
		num, err := int64(0), error(nil)
		if ok {
			num, err = strconv.ParseInt(fmt.Sprint(i.Value), 10, 32)
		}
		if !ok || err != nil {
			d.fail(n, "%s is %s, want a whole number", what, kindOf(n))
			return
		}
		v.SetInt(num)
	case reflect.Slice:
		seq, ok := n.(*ast.SequenceNode)
		if !ok {
			d.fail(n, "%s is %s, want a list", what, kindOf(n))
			return
		}
		out := reflect.MakeSlice(v.Type(), 0, len(seq.Values))
		for i, item := range seq.Values {
			e := reflect.New(v.Type().Elem()).Elem()
			place := fmt.Sprintf("%s[%d]", what, i)
			if tk := start(item); tk != nil && tk.Position != nil && e.Kind() == reflect.String {
				d.lines[place] = tk.Position.Line
			}
			d.value(item, e, tag, place)
			out = reflect.Append(out, e)
		}
		v.Set(out)
	case reflect.Map:
		d.table(n, v, tag, what)
	case reflect.Struct:
		d.record(n, v, what)
	default:
		panic("no rule for a field of kind " + v.Kind().String())
	}
}

func (d *decoder) text(n ast.Node, v reflect.Value, tag reflect.StructTag, what string) {
	var s string
	switch n := n.(type) {
	case *ast.StringNode:
		s = n.Value
	case *ast.LiteralNode:
		s = n.Value.Value
	case *ast.IntegerNode:
		// The number of an argument is written without quotes.
		if tag.Get("pattern") == "" {
			d.fail(n, "%s is a number, want a string", what)
			return
		}
		s = n.Token.Value
	default:
		d.fail(n, "%s is %s, want a string", what, kindOf(n))
		return
	}
	if words := tag.Get("enum"); words != "" {
		if all := strings.Split(words, ","); !slices.Contains(all, s) {
			d.fail(n, "%s is %q, want %s", what, s, orList(all))
			return
		}
	}
	if tag.Get("keys") == "kinds" && tag.Get("enum") == "" {
		d.kind(n, s)
	}
	if p := tag.Get("pattern"); p != "" && !regexp.MustCompile(p).MatchString(s) {
		d.fail(n, "%s is %q, want the form %s", what, s, p)
		return
	}
	if tag.Get("glob") != "" {
		if _, err := path.Match(s, ""); err != nil {
			d.fail(n, "%s is %q, which is no glob: %v", what, s, err)
			return
		}
	}
	if strings.TrimSpace(s) == "" {
		d.fail(n, "%s is empty", what)
		return
	}
	if tag.Get("order") != "" {
		d.order(n, s)
	}
	v.SetString(s)
}

// order reads a declared order and tells its faults with their place in the
// file.
func (d *decoder) order(n ast.Node, text string) {
	_, err := lockgraph.ParseOrder(text)
	if err == nil {
		return
	}
	list := []error{err}
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		list = joined.Unwrap()
	}
	line, column := 1, 1
	if tk := start(n); tk != nil && tk.Position != nil {
		line, column = tk.Position.Line, tk.Position.Column
	}
	for _, err := range list {
		e := &Error{File: d.file, Line: line, Column: column, Text: "order: " + err.Error()}
		var at *lockgraph.OrderError
		if errors.As(err, &at) {
			e.Text = "order: " + at.Msg
			if _, block := n.(*ast.LiteralNode); block { // it begins on the line after | or >
				e.Line, e.Column = line+at.Line, d.indent(line+1)+at.Col
			} else if at.Line == 1 {
				e.Column = column + at.Col - 1
			}
		}
		d.errs = append(d.errs, e)
	}
}

// indent counts the spaces before the text of a line.
func (d *decoder) indent(line int) int {
	if line < 1 || line > len(d.source) {
		return 0
	}
	return len(d.source[line-1]) - len(strings.TrimLeft(d.source[line-1], " "))
}

func (d *decoder) kind(n ast.Node, slug string) {
	if _, ok := lockgraph.KindOf(slug); !ok {
		d.fail(n, "no kind of finding is named %q%s", slug, nearest(slug, kinds()))
	}
}

func kinds() []string {
	var out []string
	for _, k := range lockgraph.Kinds {
		out = append(out, k.Slug)
	}
	return out
}

// pairs are the keys and values of a mapping; one pair alone is a node of
// its own kind.
func (d *decoder) pairs(n ast.Node, what string) ([]*ast.MappingValueNode, bool) {
	switch n := n.(type) {
	case *ast.MappingNode:
		return n.Values, true
	case *ast.MappingValueNode:
		return []*ast.MappingValueNode{n}, true
	}
	d.fail(n, "%s is %s, want a mapping", what, kindOf(n))
	return nil, false
}

// key is the text of a key; only plain and quoted strings and numbers serve.
func (d *decoder) key(p *ast.MappingValueNode) (string, bool) {
	switch k := p.Key.(type) {
	case *ast.StringNode:
		return k.Value, true
	case *ast.IntegerNode, *ast.BoolNode, *ast.FloatNode:
		return p.Key.GetToken().Value, true
	}
	d.fail(p.Key, "a key must be a string")
	return "", false
}

func (d *decoder) table(n ast.Node, v reflect.Value, tag reflect.StructTag, what string) {
	pairs, ok := d.pairs(n, what)
	if !ok {
		return
	}
	v.Set(reflect.MakeMap(v.Type()))
	for _, p := range pairs {
		key, ok := d.key(p)
		if !ok {
			continue
		}
		if tag.Get("keys") == "kinds" {
			d.kind(p.Key, key)
		}
		e := reflect.New(v.Type().Elem()).Elem()
		d.value(p.Value, e, tag, fmt.Sprintf("%s of %q", what, key))
		v.SetMapIndex(reflect.ValueOf(key), e)
	}
}

func (d *decoder) record(n ast.Node, v reflect.Value, what string) {
	t := v.Type()
	fields := map[string]int{}
	var names []string
	for i := range t.NumField() {
		f := t.Field(i)
		name := f.Tag.Get("yaml")
		if name == "-" {
			if f.Name == "Line" {
				if tk := start(n); tk != nil && tk.Position != nil {
					v.Field(i).SetInt(int64(tk.Position.Line))
				}
			}
			continue
		}
		fields[name] = i
		names = append(names, name)
		if def := f.Tag.Get("default"); def != "" {
			setDefault(v.Field(i), def)
		}
	}
	if s, ok := n.(*ast.StringNode); ok {
		for i := range t.NumField() {
			if t.Field(i).Tag.Get("scalar") != "" {
				d.text(s, v.Field(i), t.Field(i).Tag, what)
				return
			}
		}
	}
	pairs, ok := d.pairs(n, what)
	if !ok {
		return
	}
	seen := map[string]bool{}
	for _, p := range pairs {
		key, ok := d.key(p)
		if !ok {
			continue
		}
		i, ok := fields[key]
		if !ok {
			d.fail(p.Key, "unknown key %q%s", key, nearest(key, names))
			continue
		}
		if _, null := p.Value.(*ast.NullNode); !null {
			seen[key] = true
		}
		d.value(p.Value, v.Field(i), t.Field(i).Tag, key)
	}
	for _, name := range names {
		if t.Field(fields[name]).Tag.Get("required") != "" && !seen[name] {
			d.fail(n, "%s lacks %q", what, name)
		}
	}
}

func setDefault(v reflect.Value, def string) {
	if v.Kind() == reflect.Int {
		i, err := strconv.Atoi(def)
		if err != nil {
			panic("default of an integer field: " + def)
		}
		v.SetInt(int64(i))
		return
	}
	v.SetString(def)
}

func kindOf(n ast.Node) string {
	switch n.(type) {
	case *ast.StringNode, *ast.LiteralNode:
		return "a string"
	case *ast.IntegerNode, *ast.FloatNode, *ast.InfinityNode, *ast.NanNode:
		return "a number"
	case *ast.BoolNode:
		return "true or false"
	case *ast.SequenceNode:
		return "a list"
	case *ast.MappingNode, *ast.MappingValueNode:
		return "a mapping"
	}
	return "something else"
}
