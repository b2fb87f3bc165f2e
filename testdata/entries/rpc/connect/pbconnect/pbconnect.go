// Package pbconnect is what protoc-gen-connect-go makes of a service, as far
// as it is registered.
package pbconnect

import (
	"context"
	"net/http"

	"connectrpc.com/connect"
)

// Request and Reply are messages.
type (
	Request struct{}
	Reply   struct{}
)

// BankServiceHandler is an implementation of the service.
type BankServiceHandler interface {
	Transfer(context.Context, *connect.Request[Request]) (*connect.Response[Reply], error)
}

// NewBankServiceHandler builds an HTTP handler from the implementation.
func NewBankServiceHandler(svc BankServiceHandler, opts ...connect.HandlerOption) (string, http.Handler) {
	transfer := connect.NewUnaryHandler("/bank.BankService/Transfer", svc.Transfer, opts...)
	return "/bank.BankService/", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { transfer.ServeHTTP(w, r) })
}
