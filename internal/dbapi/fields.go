package dbapi

// TxField reports whether a struct field, by its full name, is nil unless
// the handle that holds it is a transaction.
func TxField(name string) bool { return txFields[original(name)] }

var txFields = map[string]bool{
	"github.com/gobuffalo/pop/v6.Connection.TX": true,
	"github.com/gobuffalo/pop/v5.Connection.TX": true,
	"github.com/gobuffalo/pop.Connection.TX":    true,
}
