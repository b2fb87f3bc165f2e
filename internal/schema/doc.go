// Package schema reads migrations and schema files into a Catalog: tables,
// keys, indexes, foreign keys, views, functions and triggers in force.
//
// Files, or the statements of a session, enter in order; a Catalog leaves.
// A statement that cannot be read loses only itself and is listed under
// Problems. The package knows no locks.
package schema
