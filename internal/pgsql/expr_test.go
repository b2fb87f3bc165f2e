package pgsql

import "testing"

func TestExpr(t *testing.T) {
	for in, want := range map[string]string{
		`hashtextextended('account:'||$1::TEXT,0)`:      `hashtextextended('account:' || $1::text, 0)`,
		`HASHTEXTEXTENDED(('a'||(b))::text , 0::int8)`:  `hashtextextended(('a' || b)::text, 0::bigint)`,
		`pg_catalog.hashtext(cast($1 as int4)::text)`:   `hashtext($1::integer::text)`,
		`(a+b)*c - (d-(e-f))`:                           `(a + b) * c - (d - (e - f))`,
		`-1`:                                            `-1`,
		`(-1)::int`:                                     `(-1)::integer`,
		`- a + -(-b)`:                                   `-a + -(-b)`,
		`case a when 1 then b else (c) end`:             `CASE a WHEN 1 THEN b ELSE c END`,
		`x is not null and not (y or z) or w`:           `x IS NOT NULL AND NOT (y OR z) OR w`,
		`a=any($1::uuid[])`:                             `a = ANY ($1::uuid[])`,
		`a not in (1,2)`:                                `a NOT IN (1, 2)`,
		`a between 1 and 2`:                             `a BETWEEN 1 AND 2`,
		`extract(epoch from now())`:                     `extract('epoch' FROM now())`,
		`position('a' in b)`:                            `position('a' IN b)`,
		`interval '1 day'`:                              `'1 day'::interval`,
		`CURRENT_TIMESTAMP`:                             `current_timestamp`,
		`x like 'a%' and x not ilike 'b'`:               `x LIKE 'a%' AND x NOT ILIKE 'b'`,
		`('x'||substr(md5($1),1,16))::bit(64)::bigint`:  `('x' || substr(md5($1), 1, 16))::bit(64)::bigint`,
		`null::timestamptz`:                             `NULL::timestamp with time zone`,
		`A."B", 1`:                                      `a."B"`,
		`count(distinct x order by y desc nulls last)`:  `count(DISTINCT x ORDER BY y DESC NULLS LAST)`,
		`row_number() over (partition by a order by b)`: `row_number() OVER (PARTITION BY a ORDER BY b)`,
		`a is distinct from b`:                          `a IS DISTINCT FROM b`,
		`coalesce(a,nullif(b,c),greatest(1,2))`:         `coalesce(a, nullif(b, c), greatest(1, 2))`,
		`(array[1,2])[1]`:                               `(ARRAY[1, 2])[1]`,
		`'it''s'`:                                       `'it''s'`,
		`9223372036854775807`:                           `9223372036854775807`,
		`0`:                                             `0`,
		`f(b => 1, variadic c)`:                         `f(b => 1, VARIADIC c)`,
		`a.f(1)`:                                        `a.f(1)`,
		`x collate "C"`:                                 `x COLLATE "C"`,
		`exists(select 1)`:                              `EXISTS (SELECT 1)`,
		`a operator(s.+) b`:                             `a OPERATOR(s.+) b`,
		`(t.c).f[1]`:                                    `(t.c).f[1]`,
	} {
		got := exprOf(t, in)
		if got != want {
			t.Errorf("%s\n got %s\nwant %s", in, got, want)
		}
		if again := exprOf(t, got); again != got {
			t.Errorf("%s: %s becomes %s", in, got, again)
		}
	}
}

func exprOf(t *testing.T, in string) string {
	t.Helper()
	s := Parse("SELECT " + in)
	if len(s) != 1 || s[0].Err != nil {
		t.Errorf("%s: %v", in, s[0].Err)
		return ""
	}
	return Expr(s[0].Tree.GetSelectStmt().TargetList[0])
}

func BenchmarkParserAlone(b *testing.B) {
	const sql = "SELECT a.id, b.name FROM accounts a JOIN owners b ON b.id = a.owner_id WHERE a.id = $1 AND b.state = 'open' ORDER BY a.id FOR UPDATE OF a SKIP LOCKED"
	for b.Loop() {
		if _, err := parseTree(sql); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkParse(b *testing.B) {
	for _, bm := range []struct {
		name string
		memo bool
	}{{"fresh", false}, {"memoised", true}} {
		b.Run(bm.name, func(b *testing.B) {
			const sql = "SELECT a.id, b.name FROM accounts a JOIN owners b ON b.id = a.owner_id WHERE a.id = $1 AND b.state = 'open' ORDER BY a.id FOR UPDATE OF a SKIP LOCKED"
			for b.Loop() {
				if !bm.memo {
					memo.young, memo.old = nil, nil
				}
				if Parse(sql)[0].Err != nil {
					b.Fatal("does not parse")
				}
			}
		})
	}
}
