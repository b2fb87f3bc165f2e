package pgsql

import (
	"fmt"
	"strings"
	"testing"
)

const bodyText = `
#variable_conflict use_column
<<outer>>
DECLARE
  a int := 1; -- one
  r core.grants%ROWTYPE;
  n CONSTANT numeric(10,2) NOT NULL DEFAULT 2 + 3;
  c CURSOR (k bigint) FOR SELECT * FROM t WHERE id = k FOR UPDATE;
  me ALIAS FOR $1;
BEGIN
  SELECT x, y INTO STRICT a, r.f FROM t WHERE id = me FOR UPDATE;
  PERFORM pg_advisory_xact_lock(hashtext('a;b'));
  a := CASE WHEN a > 1 THEN 2 ELSE 3 END;
  r.f[1] = 2;
  IF a = CASE WHEN true THEN 1 END THEN
    UPDATE t SET x = 1;
  ELSIF b THEN NULL;
  ELSE
    INSERT INTO t VALUES (1) RETURNING id INTO a;
  END IF;
  CASE a WHEN 1, 2 THEN DELETE FROM t; ELSE RAISE NOTICE 'x %', a; END CASE;
  <<l>> LOOP EXIT l WHEN a > 3; CONTINUE; END LOOP l;
  WHILE a < 3 LOOP a := a + 1; END LOOP;
  FOR i IN REVERSE 10..1 BY 2 LOOP NULL; END LOOP;
  FOR r IN SELECT id FROM t ORDER BY id FOR UPDATE LOOP UPDATE u SET z = 1 WHERE id = r.id; END LOOP;
  FOR r IN c(1) LOOP NULL; END LOOP;
  FOR r IN EXECUTE 'select ' || a USING b, c LOOP NULL; END LOOP;
  FOREACH k SLICE 1 IN ARRAY ids LOOP NULL; END LOOP;
  EXECUTE format('x %I', t) INTO a USING b, f(c, d);
  OPEN c(2); OPEN c FOR SELECT 1; OPEN c FOR EXECUTE q USING a;
  FETCH NEXT FROM c INTO r; FETCH c INTO r; MOVE c; CLOSE c;
  GET DIAGNOSTICS a = ROW_COUNT;
  ASSERT a > 1, 'no';
  CALL p(1); COMMIT; ROLLBACK;
  RETURN NEXT; RETURN NEXT a; RETURN QUERY SELECT 1; RETURN QUERY EXECUTE 'x' USING 1;
  BEGIN
    %% what is this ;
    RAISE;
  EXCEPTION WHEN unique_violation OR sqlstate '23505' THEN RETURN NULL;
    WHEN others THEN NULL;
  END;
  RETURN a + 1;
END outer;
`

func show(b *strings.Builder, depth int, ss []PL) {
	for _, s := range ss {
		fmt.Fprintf(b, "%s%s\n", strings.Repeat("  ", depth), line(s))
		for _, a := range s.Arms {
			fmt.Fprintf(b, "%swhen %s\n", strings.Repeat("  ", depth), a.Cond)
			show(b, depth+1, a.Body)
		}
		if s.HasElse {
			fmt.Fprintf(b, "%selse\n", strings.Repeat("  ", depth))
		}
		show(b, depth+1, s.Else)
		show(b, depth+1, s.Body)
		if s.Block != nil {
			show(b, depth+1, s.Block.Body)
			for _, h := range s.Block.Handlers {
				fmt.Fprintf(b, "%son %s\n", strings.Repeat("  ", depth), strings.Join(h.Conditions, "|"))
				show(b, depth+1, h.Body)
			}
		}
	}
}

func line(s PL) string {
	out := fmt.Sprint(s.Kind)
	for _, x := range []string{s.Label, s.Level, s.Target, strings.Join(s.Vars, ","), strings.Join(s.Into, ","),
		strings.Join(strings.Fields(s.Text), " "), s.Expr, s.Upper, s.By} {
		if x != "" {
			out += " [" + x + "]"
		}
	}
	for _, a := range s.Args {
		out += " <" + a.Text + ">"
	}
	return out
}

const bodyWant = `sql [a,r.f] [SELECT x, y FROM t WHERE id = me FOR UPDATE]
perform [SELECT pg_advisory_xact_lock(hashtext('a;b'))]
assign [a] [CASE WHEN a > 1 THEN 2 ELSE 3 END]
assign [r.f[1]] [2]
if
when a = CASE WHEN true THEN 1 END
  sql [UPDATE t SET x = 1]
when b
  null
else
  sql [a] [INSERT INTO t VALUES (1) RETURNING id]
case [a]
when 1, 2
  sql [DELETE FROM t]
else
  raise [notice] [RAISE NOTICE 'x %', a]
loop [l]
  exit [l] [a > 3]
  continue
while [a < 3]
  assign [a] [a + 1]
for-int [i] [10] [1] [2]
  null
for-query [r] [SELECT id FROM t ORDER BY id FOR UPDATE]
  sql [UPDATE u SET z = 1 WHERE id = r.id]
for-cursor [c] [r] <1>
  null
for-execute [r] ['select ' || a] <b> <c>
  null
foreach [k] [ids]
  null
execute [a] [format('x %I', t)] <b> <f(c, d)>
open [c] <2>
open [c] [SELECT 1]
open [c] [q] <a>
fetch [c] [r] [NEXT]
fetch [c] [r]
move [c]
close [c]
diagnostics [GET DIAGNOSTICS a = ROW_COUNT]
assert [a > 1]
call [CALL p(1)]
commit [COMMIT]
rollback [ROLLBACK]
return-next
return-next [a]
return-query [SELECT 1]
return-execute ['x'] <1>
block
  unknown [%% what is this]
  raise [exception] [RAISE]
on unique_violation|sqlstate '23505'
  return [NULL]
on others
  null
return [a + 1]
`

func TestParseBody(t *testing.T) {
	b, err := ParseBody(bodyText)
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	show(&out, 0, b.Body)
	if got := out.String(); got != bodyWant {
		t.Errorf("got:\n%s", got)
	}
	if b.Label != "outer" || len(b.Decls) != 5 {
		t.Errorf("label %q, declarations %+v", b.Label, b.Decls)
	}
	d := b.Decls
	if d[0].Type != "integer" || d[0].Default != "1" || d[1].Type != "core.grants%rowtype" ||
		d[2].Type != "numeric(10,2)" || !d[2].Constant || !d[2].NotNull || d[2].Default != "2 + 3" ||
		!d[3].Cursor || d[3].CursorArgs[0] != "k" || !strings.HasSuffix(d[3].Query, "FOR UPDATE") || d[4].Alias != "$1" {
		t.Errorf("declarations %+v", d)
	}
	checkPlaces(t, bodyText, b.Body)
}

// checkPlaces compares every text with the body at its offset.
func checkPlaces(t *testing.T, body string, ss []PL) {
	t.Helper()
	for _, s := range ss {
		at := body[s.TextOffset : s.TextOffset+len(s.Text)]
		skip := 0
		if s.Kind == PLPerform {
			skip = len("perform")
		}
		if len(s.Into) == 0 && at[skip:] != s.Text[skip:] {
			t.Errorf("text %q stands at %q", s.Text, at)
		}
		if got := body[s.ExprOffset : s.ExprOffset+len(s.Expr)]; got != s.Expr {
			t.Errorf("expression %q stands at %q", s.Expr, got)
		}
		if s.Offset >= s.End || s.End > len(body) {
			t.Errorf("statement from %d to %d", s.Offset, s.End)
		}
		for _, a := range s.Arms {
			if body[a.Offset:a.Offset+len(a.Cond)] != a.Cond {
				t.Errorf("condition %q", a.Cond)
			}
			checkPlaces(t, body, a.Body)
		}
		checkPlaces(t, body, s.Else)
		checkPlaces(t, body, s.Body)
		if s.Block != nil {
			checkPlaces(t, body, s.Block.Body)
		}
	}
}

func TestParseBodyTolerates(t *testing.T) {
	for _, in := range []string{
		"begin", "begin if", "begin if a then", "begin else; end", "declare", "declare x", "begin for in; loop; end loop; end",
		"begin select $$", "begin a := (1; b := 2; end", "begin end; select 1", "begin exception when", "begin case when",
		"begin " + strings.Repeat("<<a>> ", 5000) + " null; end", strings.Repeat("begin ", 5000), "declare a cursor for",
		"begin fetch; move; open; close; exit; return; raise; execute; perform; end",
	} {
		if b, err := ParseBody(in); b == nil {
			t.Errorf("%.20q: %v", in, err)
		}
	}
	for _, in := range []string{"", "select 1", "begin\x00end"} {
		if _, err := ParseBody(in); err == nil {
			t.Errorf("%q is read", in)
		}
	}
	b, _ := ParseBody("begin perform a(); what ever; perform b(); end")
	if len(b.Body) != 3 || b.Body[1].Kind != PLUnknown || b.Body[2].Kind != PLPerform {
		t.Errorf("%+v", b.Body)
	}
}
