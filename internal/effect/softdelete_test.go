package effect

import "testing"

// A row counts as soft-deleted where the conditions hold for nothing else.
func TestSoftDeleted(t *testing.T) {
	c := catalog(t, `CREATE TABLE o(id int PRIMARY KEY, deleted_at timestamptz);
CREATE TABLE t(id int PRIMARY KEY, o int, deleted_at timestamptz, is_deleted bool, deletion_requested_at timestamptz, undeleted_at timestamptz, scheduled_at timestamptz);`)
	const lock = " FOR UPDATE OF t"
	for _, x := range []struct{ sql, want string }{
		{"SELECT 1 FROM t WHERE id = $1 AND deleted_at IS NOT NULL" + lock, "deleted_at"},
		{"SELECT 1 FROM t JOIN o ON o.id = t.o WHERE t.deleted_at IS NOT NULL OR o.deleted_at IS NOT NULL" + lock, "t.deleted_at"},
		{"DELETE FROM t WHERE deleted_at < now() - interval '30 days'", "deleted_at"},
		{"DELETE FROM t WHERE $1 >= deleted_at", "deleted_at"},
		{"UPDATE t SET is_deleted = false WHERE is_deleted", "is_deleted"},
		{"UPDATE t SET is_deleted = false WHERE is_deleted = true AND id = $1", "is_deleted"},
		{"SELECT 1 FROM t WHERE (id = $1 AND is_deleted) OR deleted_at IS NOT NULL" + lock, "is_deleted"},
		{"SELECT 1 FROM t WHERE deleted_at IS NULL" + lock, ""},
		{"SELECT 1 FROM t WHERE deleted_at IS NOT NULL OR id = $1" + lock, ""},
		{"SELECT 1 FROM t WHERE NOT (deleted_at IS NOT NULL)" + lock, ""},
		{"SELECT 1 FROM t WHERE NOT is_deleted" + lock, ""},
		{"SELECT 1 FROM t WHERE is_deleted = $1" + lock, ""},
		{"SELECT 1 FROM t WHERE is_deleted = false" + lock, ""},
		{"SELECT 1 FROM t WHERE deleted_at = $1" + lock, ""},
		{"SELECT 1 FROM t WHERE deletion_requested_at IS NOT NULL AND undeleted_at IS NOT NULL AND scheduled_at < now()" + lock, ""},
	} {
		got := acquired(c, x.sql)
		if len(got) != 1 || got[0].SoftDeleted != x.want {
			t.Errorf("%s: %d acquisitions, %+v, want %q", x.sql, len(got), got, x.want)
		}
	}
}
