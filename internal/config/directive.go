package config

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/pglockdep/pglockdep/lockgraph"
)

// Verbs of directives.
const (
	VerbLock   = "lock"
	VerbPath   = "path"
	VerbIgnore = "ignore"
)

// A Directive is one comment that speaks to pglockdep.
type Directive struct {
	Verb string

	// lock
	Name, Serializes string

	// path
	Group string

	// ignore
	Kind, Reason string

	// Where it stands, and the last line it covers; the reader of the source
	// fills these. An End of 0 covers the next line.
	File      string
	Line, End int
}

// ErrNoDirective says that a comment is not meant for pglockdep.
var ErrNoDirective = errors.New("no directive")

// IsDirective reports whether a comment is meant as a directive, well formed
// or not.
func IsDirective(text string) bool {
	_, ok := directiveText(text)
	return ok
}

// directiveText strips the comment signs of Go or SQL.
func directiveText(text string) (string, bool) {
	text = strings.TrimSpace(text)
	for _, sign := range []string{"//", "--"} {
		if rest, ok := strings.CutPrefix(text, sign); ok {
			rest, ok = strings.CutPrefix(strings.TrimLeft(rest, " \t"), "pglockdep:")
			return rest, ok
		}
	}
	return "", false
}

// ParseDirective reads one comment, with its signs: //pglockdep:lock in Go,
// -- pglockdep:lock in SQL. A comment that is no directive gives
// ErrNoDirective. An ignore directive without a reason is returned as it is:
// Waive reports it.
func ParseDirective(text string) (Directive, error) {
	rest, ok := directiveText(text)
	if !ok {
		return Directive{}, ErrNoDirective
	}
	// Go formatters move a comment with a space into the doc text.
	if trimmed := strings.TrimSpace(text); strings.HasPrefix(trimmed, "//") && !strings.HasPrefix(trimmed, "//pglockdep:") {
		return Directive{}, errors.New("a directive has no space between // and pglockdep:")
	}
	verb, args, _ := strings.Cut(rest, " ")
	if i := strings.IndexByte(verb, '\t'); i >= 0 {
		verb, args = verb[:i], verb[i:]+" "+args
	}
	args = strings.TrimSpace(args)
	d := Directive{Verb: verb}
	var err error
	switch verb {
	case VerbLock:
		err = d.lock(args)
	case VerbPath:
		d.Group, err = oneText(args)
	case VerbIgnore:
		err = d.ignore(args)
	default:
		return Directive{}, fmt.Errorf("no directive is named %q%s", verb, nearest(verb, []string{VerbLock, VerbPath, VerbIgnore}))
	}
	if err != nil {
		return Directive{}, fmt.Errorf("pglockdep:%s: %w", verb, err)
	}
	return d, nil
}

// lock reads KEY="text" pairs.
func (d *Directive) lock(args string) error {
	fields := map[string]*string{"name": &d.Name, "serializes": &d.Serializes}
	for args != "" {
		key, rest, ok := strings.Cut(args, "=")
		key = strings.TrimSpace(key)
		if !ok {
			return fmt.Errorf("%q is no KEY=\"text\"", args)
		}
		field := fields[key]
		if field == nil {
			return fmt.Errorf("unknown key %q%s", key, nearest(key, []string{"name", "serializes"}))
		}
		if *field != "" {
			return fmt.Errorf("%q is said twice", key)
		}
		quoted, err := strconv.QuotedPrefix(strings.TrimSpace(rest))
		if err != nil {
			return fmt.Errorf("the text of %q is not in double quotes", key)
		}
		text, err := strconv.Unquote(quoted)
		if err != nil || quoted[0] == '\'' {
			return fmt.Errorf("the text of %q is not in double quotes", key)
		}
		if strings.TrimSpace(text) == "" {
			return fmt.Errorf("the text of %q is empty", key)
		}
		*field = text
		args = strings.TrimSpace(strings.TrimSpace(rest)[len(quoted):])
	}
	if d.Name == "" && d.Serializes == "" {
		return errors.New("says neither name nor serializes")
	}
	return nil
}

func oneText(args string) (string, error) {
	text, err := strconv.Unquote(args)
	if err != nil || args[0] == '\'' || strings.TrimSpace(text) == "" {
		return "", errors.New("want one text in double quotes")
	}
	return text, nil
}

func (d *Directive) ignore(args string) error {
	d.Kind, d.Reason, _ = strings.Cut(args, " ")
	d.Reason = strings.TrimSpace(d.Reason)
	if d.Kind == "" {
		return errors.New("names no kind of finding")
	}
	if _, ok := lockgraph.KindOf(d.Kind); !ok {
		return fmt.Errorf("no kind of finding is named %q%s", d.Kind, nearest(d.Kind, kinds()))
	}
	return nil
}
