package locks

import "github.com/jackc/pgx/v5/pgxpool"

// A SessionConfig says where session locks get their connections.
type SessionConfig struct {
	Pool *pgxpool.Pool // pool to pin connections of; best one of its own
	DSN  string        // or: a connection of its own for each lock
}
