package effect

import (
	"testing"

	"github.com/pglockdep/pglockdep/internal/schema"
)

func TestSmoke(t *testing.T) {
	c := schema.New()
	c.Apply("s.sql", "CREATE TABLE p(id int primary key, n text); CREATE TABLE c(id bigint generated always as identity primary key, pid int references p(id) on delete cascade);")
	for _, s := range []string{"insert into c(pid) values ($1)", "select pg_advisory_xact_lock(hashtextextended('a:'||$1::text,0))", "select * from p join c on p.id=c.pid where p.id=$1 for update of p", "delete from p where id=$1"} {
		t.Log(s)
		for _, o := range Of(c, s) {
			t.Logf("  %v %v %+v %s", o.Kind, o.Str, o.Acq, o.Cut)
		}
	}
}
