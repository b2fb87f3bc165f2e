package owner

import "database/sql"

// A Guard keeps a pool of one connection: its session.
type Guard struct{ db *sql.DB }

func OpenGuards(dsn string) ([]*Guard, error) {
	pools, err := openPools(dsn)
	if err != nil {
		return nil, err
	}
	return newGuards(pools), nil
}

func openPools(dsn string) ([2]*sql.DB, error) {
	pools := [2]*sql.DB{}
	for i := range pools {
		db, err := sql.Open("postgres", dsn)
		if err != nil {
			return pools, err
		}
		db.SetMaxOpenConns(1)
		pools[i] = db
	}
	return pools, nil
}

func newGuards(pools [2]*sql.DB) []*Guard {
	var out []*Guard
	for i := range pools {
		out = append(out, &Guard{db: pools[i]})
	}
	return out
}

func (g *Guard) Lock() (ok bool, err error) {
	err = g.db.QueryRow(`SELECT pg_try_advisory_lock(10, 1)`).Scan(&ok)
	return ok, err
}

func (g *Guard) Unlock() (ok bool, err error) {
	err = g.db.QueryRow(`SELECT pg_advisory_unlock(10, 1)`).Scan(&ok)
	return ok, err
}

// A Crowd keeps a pool of several.
type Crowd struct{ db *sql.DB }

func OpenCrowd(dsn string) (*Crowd, error) {
	db, err := sql.Open("postgres", dsn)
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(10)
	return &Crowd{db: db}, nil
}

func (c *Crowd) Lock() (ok bool, err error) {
	err = c.db.QueryRow(`SELECT pg_try_advisory_lock(10, 2)`).Scan(&ok) // want session-lock-via-pool "is taken on a pool"
	return ok, err
}

func (c *Crowd) Unlock() (ok bool, err error) {
	err = c.db.QueryRow(`SELECT pg_advisory_unlock(10, 2)`).Scan(&ok) // want unlock-other-conn "is released on a pool"
	return ok, err
}
