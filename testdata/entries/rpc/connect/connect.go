// Package connect is entered by calls of a Connect service.
package connect

import (
	"context"
	"database/sql"
	"net/http"

	"connectrpc.com/connect"

	"entries.test/rpc/connect/pbconnect"
	"entries.test/store"
)

type server struct{ store *store.Store }

// Register registers the service.
func Register(mux *http.ServeMux, s *store.Store) {
	path, handler := pbconnect.NewBankServiceHandler(&server{s})
	mux.Handle(path, handler)
}

// reached by: connect BankService/Transfer
func (s *server) Transfer(ctx context.Context, _ *connect.Request[pbconnect.Request]) (*connect.Response[pbconnect.Reply], error) {
	err := s.store.Touch(ctx, func(tx *sql.Tx) error { return store.Lock(ctx, tx) })
	return connect.NewResponse(&pbconnect.Reply{}), err
}
