package dbapi

import "testing"

// TestEntSession asks for the methods of ent's clients that begin and end
// transactions: a client of many entities is too large a value to follow.
func TestEntSession(t *testing.T) {
	for _, tt := range []struct {
		typ, method, result string
		does                Action
		opens, ends         string
	}{
		{"Client", "Tx", "Tx", Begin, "tx", ""},
		{"Client", "BeginTx", "Tx", Begin, "tx", ""},
		{"Tx", "Commit", "error", Commit, "", "commit"},
		{"Tx", "Rollback", "error", Rollback, "", "rollback"},
		{"Tx", "Client", "Client", Same, "", ""},
	} {
		c, _, ok := Generated(tt.typ, tt.method, tt.result)
		if !ok || c.Does != tt.does || c.Opens != tt.opens || c.Ends != tt.ends {
			t.Errorf("(*%s).%s: %+v, %t", tt.typ, tt.method, c, ok)
		}
	}
	if _, _, ok := Generated("Client", "Tx", "Other"); ok {
		t.Error("a method Tx that returns something else begins a transaction")
	}
}
