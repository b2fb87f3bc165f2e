//go:build cgo && !purego

package pgsql

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	pg_query "github.com/pganalyze/pg_query_go/v5"
)

// The parser's own scanner and PL/pgSQL reader are the oracles of ours.

// U&'…' and N'…' are left out: the parser's scanner gives them in pieces.
var scanSamples = []string{
	`select a.b, "Q""x", 'it''s', E'\'x', b'01', X'1f', $1, $$a$b$$, $t$ $$ $t$, 1.5e-3, .5, 0x1F, 1_000, 5.`,
	`a<=b <> c != d || e->>'x' @> f::text[1:2] ^ -1 +-2 *-3 @-4 ~* '^x' !~~ 1..10 a=>b :=c ?| ? #>> `,
	"-- c\n/* a /* b */ c */ select/*x*/1--end",
	`größe été_1 $1a`,
	`'a'
 'b'`,
}

func TestScanAgainstParser(t *testing.T) {
	for _, in := range append(scanSamples, bodyText) {
		compareScan(t, in)
	}
	for _, file := range extra(t) {
		b, _ := os.ReadFile(file)
		for _, s := range Parse(string(b)) {
			compareScan(t, s.Text)
		}
	}
}

// extra are the SQL files of the folder PGLOCKDEP_SQL names, for runs over
// more than the samples.
func extra(t *testing.T) []string {
	dir := os.Getenv("PGLOCKDEP_SQL")
	if dir == "" {
		return nil
	}
	var out []string
	err := filepath.Walk(dir, func(p string, _ os.FileInfo, err error) error {
		if strings.HasSuffix(p, ".sql") {
			out = append(out, p)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func compareScan(t *testing.T, in string) {
	t.Helper()
	if strings.IndexByte(in, 0) >= 0 {
		return
	}
	want, err := pg_query.Scan(in)
	if err != nil {
		return
	}
	toks, err := Scan(in)
	if err != nil {
		t.Errorf("%q: %v", in, err)
		return
	}
	var a, b []string
	for _, x := range want.Tokens {
		kw := x.KeywordKind != pg_query.KeywordKind_NO_KEYWORD
		a = append(a, fmt.Sprintf("%s %v", in[x.Start:x.End], kw))
	}
	for _, x := range toks {
		b = append(b, fmt.Sprintf("%s %v", x.Text, x.Keyword))
	}
	for i := range max(len(a), len(b)) {
		if i >= len(a) || i >= len(b) || a[i] != b[i] {
			t.Errorf("%.60q: token %d: parser %q, ours %q", in, i, a[i:min(i+3, len(a))], b[i:min(i+3, len(b))])
			return
		}
	}
}

var functionSamples = []string{
	bodyOracle,
	`BEGIN IF a THEN NULL; ELSIF b THEN RETURN NULL; END IF; RETURN NULL; END`,
	`DECLARE x int; BEGIN x := 1; LOOP EXIT WHEN x > 2; END LOOP; RETURN NULL; EXCEPTION WHEN others THEN RAISE; END`,
}

const bodyOracle = `
DECLARE
  a int := 1;
  r record;
  ids bigint[];
  k bigint;
BEGIN
  SELECT x INTO STRICT a FROM t WHERE id = 2 FOR UPDATE;
  PERFORM pg_advisory_xact_lock(hashtext('a;b'));
  a := CASE WHEN a > 1 THEN 2 ELSE 3 END;
  CASE a WHEN 1, 2 THEN DELETE FROM t; ELSE RAISE NOTICE 'x %', a; END CASE;
  <<l>> LOOP EXIT l WHEN a > 3; CONTINUE l; END LOOP l;
  WHILE a < 3 LOOP a := a + 1; END LOOP;
  FOR i IN REVERSE 10..1 BY 2 LOOP NULL; END LOOP;
  FOR r IN SELECT id FROM t ORDER BY id FOR UPDATE LOOP UPDATE u SET z = 1 WHERE id = r.id; END LOOP;
  FOR r IN EXECUTE 'select ' || a USING a, 2 LOOP NULL; END LOOP;
  FOREACH k IN ARRAY ids LOOP NULL; END LOOP;
  EXECUTE format('x %I', 'y') INTO a USING 1;
  INSERT INTO t VALUES (1) RETURNING id INTO a;
  GET DIAGNOSTICS a = ROW_COUNT;
  ASSERT a > 1, 'no';
  CALL p(1); COMMIT; ROLLBACK;
  BEGIN
    DELETE FROM t;
  EXCEPTION WHEN unique_violation OR sqlstate '23505' THEN RETURN NULL;
    WHEN others THEN NULL;
  END;
  RETURN NULL;
END`

func TestParseBodyAgainstParser(t *testing.T) {
	for _, body := range functionSamples {
		compareBody(t, "CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS $oracle$"+body+"$oracle$", body)
	}
	n := 0
	for _, file := range extra(t) {
		b, _ := os.ReadFile(file)
		for _, s := range Parse(string(b)) {
			if body, ok := plpgsqlBody(s); ok {
				compareBody(t, s.Text, body)
				n++
			}
		}
	}
	t.Logf("%d functions of files", n)
}

// plpgsqlBody is the body of a function that the C reader may see: it aborts
// the process without AS.
func plpgsqlBody(s Stmt) (string, bool) {
	f := s.Tree.GetCreateFunctionStmt()
	if f == nil || f.SqlBody != nil {
		return "", false
	}
	body, language := "", ""
	for _, o := range f.Options {
		d := o.GetDefElem()
		switch d.GetDefname() {
		case "as":
			body = d.Arg.GetList().GetItems()[0].GetString_().GetSval()
		case "language":
			language = d.Arg.GetString_().GetSval()
		}
	}
	return body, body != "" && language == "plpgsql"
}

func compareBody(t *testing.T, create, body string) {
	t.Helper()
	out, err := pg_query.ParsePlPgSqlToJSON(create)
	if err != nil {
		return
	}
	var tree any
	if err := json.Unmarshal([]byte(out), &tree); err != nil {
		t.Fatal(err)
	}
	var want, got []string
	collect(tree, &want)
	if len(want) > 0 {
		want = want[1:] // the function's own block
	}
	b, err := ParseBody(body)
	if err != nil {
		t.Errorf("%.80q: %v", create, err)
		return
	}
	flat(body, b.Body, &got)
	for _, h := range b.Handlers {
		flat(body, h.Body, &got)
	}
	if strings.Join(want, "\n") != strings.Join(got, "\n") {
		t.Errorf("%.80q:\nparser %s\nours   %s", create, strings.Join(want, " | "), strings.Join(got, " | "))
	}
}

var oracleKinds = map[string]string{
	"execsql": "sql", "perform": "perform", "assign": "assign", "if": "if", "case": "case", "loop": "loop",
	"while": "while", "fori": "for-int", "fors": "for-query", "forc": "for-cursor", "dynfors": "for-execute",
	"foreach_a": "foreach", "exit": "exit", "return": "return", "return_next": "return-next",
	"return_query": "return-query", "raise": "raise", "dynexecute": "execute", "call": "call", "commit": "commit",
	"rollback": "rollback", "open": "open", "fetch": "fetch", "close": "close", "getdiag": "diagnostics",
	"assert": "assert", "block": "block",
}

// collect lists the statements of the oracle as "line kind", in order. NULL
// statements leave no trace there.
func collect(v any, out *[]string) {
	switch x := v.(type) {
	case []any:
		for _, e := range x {
			collect(e, out)
		}
	case map[string]any:
		for k, e := range x { // one key, but for the fields of a statement
			name, ok := strings.CutPrefix(k, "PLpgSQL_stmt_")
			if !ok {
				continue
			}
			m, _ := e.(map[string]any)
			line, _ := m["lineno"].(float64)
			if kind := oracleKinds[name]; line > 0 && kind != "" {
				*out = append(*out, fmt.Sprintf("%d %s", int(line), kind))
			}
			for _, f := range []string{"then_body", "elsif_list", "case_when_list", "else_body", "else_stmts", "body", "exceptions"} {
				collect(m[f], out)
			}
		}
		for _, w := range []string{"PLpgSQL_function", "action", "PLpgSQL_if_elsif", "PLpgSQL_case_when",
			"PLpgSQL_exception_block", "PLpgSQL_exception", "exc_list", "stmts", "action"} {
			if e, ok := x[w]; ok {
				if w == "action" {
					collect(e, out)
					break
				}
				collect(e, out)
			}
		}
	}
}

// flat lists our statements in the same way. The outermost block is the
// function's own.
func flat(body string, ss []PL, out *[]string) {
	for _, s := range ss {
		kind := s.Kind.String()
		switch s.Kind {
		case PLNull:
			continue
		case PLContinue:
			kind = "exit"
		case PLReturnExecute:
			kind = "return-query"
		case PLMove:
			kind = "fetch"
		}
		line, _ := Place(body, s.Offset)
		*out = append(*out, fmt.Sprintf("%d %s", line, kind))
		for _, a := range s.Arms {
			flat(body, a.Body, out)
		}
		flat(body, s.Else, out)
		flat(body, s.Body, out)
		if s.Block != nil {
			flat(body, s.Block.Body, out)
			for _, h := range s.Block.Handlers {
				flat(body, h.Body, out)
			}
		}
	}
}
