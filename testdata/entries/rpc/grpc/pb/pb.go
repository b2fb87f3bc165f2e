// Package pb is what protoc-gen-go-grpc makes of a service, as far as it is
// registered.
package pb

import (
	"context"

	"google.golang.org/grpc"
)

// Request and Reply are messages.
type (
	Request struct{}
	Reply   struct{}
)

// BankServer is the server API of the service.
type BankServer interface {
	Transfer(context.Context, *Request) (*Reply, error)
	Close(context.Context, *Request) (*Reply, error)
	mustEmbedUnimplementedBankServer()
}

// UnimplementedBankServer must be embedded.
type UnimplementedBankServer struct{}

func (UnimplementedBankServer) Transfer(context.Context, *Request) (*Reply, error) { return nil, nil }
func (UnimplementedBankServer) Close(context.Context, *Request) (*Reply, error)    { return nil, nil }
func (UnimplementedBankServer) mustEmbedUnimplementedBankServer()                  {}

// RegisterBankServer registers an implementation.
func RegisterBankServer(s grpc.ServiceRegistrar, srv BankServer) {
	s.RegisterService(&grpc.ServiceDesc{ServiceName: "bank.Bank", HandlerType: (*BankServer)(nil)}, srv)
}
