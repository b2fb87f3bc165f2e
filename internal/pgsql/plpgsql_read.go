package pgsql

// ParseBody reads a PL/pgSQL body.
func ParseBody(body string) (*Block, error) { return nil, errorAt(body, 0, "not read yet") }
