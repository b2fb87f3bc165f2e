package lockgraph

// A Kind is one kind of finding. Slug is its stable name, Check the family
// it belongs to, Severity what it weighs unless its check or the
// configuration says otherwise. Missing marks the kinds that report
// something absent: where an unresolved call lies on the path they stay
// silent, for the absence cannot be proved.
type Kind struct {
	Slug     string
	Check    string
	Severity string
	Title    string
	Missing  bool
}

// Kinds lists every kind of finding, grouped by check.
var Kinds = []Kind{
	{Slug: "lock-order-cycle", Check: "lockorder", Severity: SeverityError,
		Title: "paths take lock classes in orders that close a cycle"},
	{Slug: "inconsistent-lock-order", Check: "lockorder", Severity: SeverityError,
		Title: "two places take several instances of one class in different orders"},
	{Slug: "order-violation", Check: "lockorder", Severity: SeverityError,
		Title: "a lock is taken against the declared order"},
	{Slug: "mixed-lock-order", Check: "lockorder", Severity: SeverityError,
		Title: "a database lock and a Go lock are taken in opposite orders"},
	{Slug: "fk-cascade-cycle", Check: "lockorder", Severity: SeverityError,
		Title: "a referential action closes a cycle of locks"},
	{Slug: "trigger-lock", Check: "lockorder", Severity: SeverityWarning,
		Title: "a trigger takes locks its statement does not show"},
	{Slug: "fk-lock-strength", Check: "lockorder", Severity: SeverityWarning,
		Title: "a parent row is locked so strongly that inserts of children wait"},

	{Slug: "unordered-multi-row-lock", Check: "lockmany", Severity: SeverityWarning,
		Title: "one statement locks several rows in no fixed order"},
	{Slug: "unordered-lock-loop", Check: "lockmany", Severity: SeverityError,
		Title: "a loop takes locks of one class in no fixed order"},
	{Slug: "lock-in-predicate", Check: "lockmany", Severity: SeverityError,
		Title: "the planner decides how many advisory locks a statement takes"},
	{Slug: "for-update-join-scope", Check: "lockmany", Severity: SeverityWarning,
		Title: "a locking clause without OF reaches the joined tables"},
	{Slug: "skip-locked-by-key", Check: "lockmany", Severity: SeverityWarning,
		Title: "SKIP LOCKED makes a locked row look missing to a lookup by key"},

	{Slug: "lock-upgrade", Check: "lockupgrade", Severity: SeverityError,
		Title: "a lock is raised to a stronger mode by sessions that can meet"},

	{Slug: "session-lock-via-pool", Check: "sessionlock", Severity: SeverityError,
		Title: "a session lock is taken on a pool, which gives its session away"},
	{Slug: "unlock-other-conn", Check: "sessionlock", Severity: SeverityError,
		Title: "a session lock is released on another connection than it was taken on"},
	{Slug: "unlock-result-ignored", Check: "sessionlock", Severity: SeverityWarning,
		Title: "nobody looks whether the unlock found its lock"},
	{Slug: "session-lock-leak", Check: "sessionlock", Severity: SeverityError, Missing: true,
		Title: "a session lock outlives the code that took it"},
	{Slug: "unlock-cancelable-ctx", Check: "sessionlock", Severity: SeverityWarning,
		Title: "the unlock runs under a context that may be over"},
	{Slug: "lock-conn-leak", Check: "sessionlock", Severity: SeverityError, Missing: true,
		Title: "a connection pinned for a lock is lost when something fails"},
	{Slug: "session-lock-in-tx", Check: "sessionlock", Severity: SeverityWarning,
		Title: "a session lock is taken inside a transaction and survives its rollback"},
	{Slug: "session-lock-txn-pooler", Check: "sessionlock", Severity: SeverityError,
		Title: "a session lock is taken through a pooler that shares sessions"},
	{Slug: "reentrant-imbalance", Check: "sessionlock", Severity: SeverityError,
		Title: "a session lock is taken more often than it is released"},
	{Slug: "void-result-scanned", Check: "sessionlock", Severity: SeverityError,
		Title: "scanning the void result of a lock fails after the lock was granted"},
	{Slug: "leader-no-liveness", Check: "sessionlock", Severity: SeverityNote, Missing: true,
		Title: "work under a session lock does not notice that the session died"},

	{Slug: "xact-lock-outside-tx", Check: "lockscope", Severity: SeverityError,
		Title: "a transaction lock outside a transaction is released at once"},
	{Slug: "row-lock-outside-tx", Check: "lockscope", Severity: SeverityError,
		Title: "a row lock outside a transaction ends with its statement"},
	{Slug: "lock-scope-ended", Check: "lockscope", Severity: SeverityError,
		Title: "the protected work runs after its lock is gone"},
	{Slug: "unlock-before-commit", Check: "lockscope", Severity: SeverityError,
		Title: "a session lock is released before the work under it commits"},
	{Slug: "savepoint-lock-scope", Check: "lockscope", Severity: SeverityWarning,
		Title: "a rollback to a savepoint drops a lock that is still relied on"},
	{Slug: "lock-never-taken", Check: "lockscope", Severity: SeverityError,
		Title: "a locking SELECT in WITH is not run, for nothing reads it"},
	{Slug: "try-result-ignored", Check: "lockscope", Severity: SeverityError,
		Title: "the answer of a try lock does not decide what runs"},
	{Slug: "lock-on-replica", Check: "lockscope", Severity: SeverityError,
		Title: "a lock is taken on a read replica"},
	{Slug: "guc-leak", Check: "lockscope", Severity: SeverityWarning,
		Title: "a setting stays behind on a pooled connection"},

	{Slug: "unprefixed-key", Check: "lockkey", Severity: SeverityWarning,
		Title: "an advisory key has no namespace of its own"},
	{Slug: "key-collision", Check: "lockkey", Severity: SeverityError,
		Title: "two lock classes can have the same key"},
	{Slug: "key-space-mix", Check: "lockkey", Severity: SeverityWarning,
		Title: "bigint keys and pairs of integers are mixed and never meet"},
	{Slug: "weak-key-hash", Check: "lockkey", Severity: SeverityWarning,
		Title: "the key is hashed so weakly that collisions are likely"},
	{Slug: "key-overflow", Check: "lockkey", Severity: SeverityError,
		Title: "the key does not fit the lock function's argument"},
	{Slug: "key-mismatch", Check: "lockkey", Severity: SeverityError,
		Title: "one thing is locked under two keys, so nobody is kept out"},
	{Slug: "null-key", Check: "lockkey", Severity: SeverityWarning,
		Title: "a NULL key locks nothing and raises no error"},

	{Slug: "pool-in-tx", Check: "poolintx", Severity: SeverityWarning,
		Title: "a statement runs on the pool while a transaction is open"},
	{Slug: "pool-nested-acquire", Check: "poolintx", Severity: SeverityError,
		Title: "a second connection is asked for while the first is held"},
	{Slug: "self-deadlock", Check: "poolintx", Severity: SeverityError,
		Title: "a call chain waits on one connection for a lock it holds on another"},

	{Slug: "no-lock-timeout", Check: "lockwait", Severity: SeverityNote,
		Title: "a wait for a lock has no bound of its own"},
	{Slug: "lock-held-external-call", Check: "lockwait", Severity: SeverityWarning,
		Title: "a call leaves the process while a lock is held"},
	{Slug: "cic-under-blocking-lock", Check: "lockwait", Severity: SeverityError,
		Title: "concurrent DDL waits for those who wait for the migrator's lock"},
	{Slug: "cic-under-open-tx", Check: "lockwait", Severity: SeverityError,
		Title: "concurrent DDL runs while the program has a transaction open"},

	{Slug: "unlocked-write", Check: "lockdrift", Severity: SeverityWarning, Missing: true,
		Title: "rows are written without the lock other paths hold"},
	{Slug: "divergent-path", Check: "lockdrift", Severity: SeverityNote,
		Title: "a path does not lock as its siblings do"},
	{Slug: "undocumented-lock", Check: "lockdrift", Severity: SeverityNote,
		Title: "a lock has no sentence that says what it serializes"},
	{Slug: "stale-name", Check: "lockdrift", Severity: SeverityWarning,
		Title: "the page names something that no longer exists"},
	{Slug: "unplaced-lock", Check: "lockdrift", Severity: SeverityWarning,
		Title: "the declared order does not place a lock"},
}

// KindOf finds a kind by its slug.
func KindOf(slug string) (Kind, bool) {
	for _, k := range Kinds {
		if k.Slug == slug {
			return k, true
		}
	}
	return Kind{}, false
}
