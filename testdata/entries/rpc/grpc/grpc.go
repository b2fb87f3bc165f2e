// Package grpc is entered by calls of a gRPC service.
package grpc

import (
	"context"
	"database/sql"

	"google.golang.org/grpc"

	"entries.test/rpc/grpc/pb"
	"entries.test/store"
)

type server struct {
	pb.UnimplementedBankServer
	store *store.Store
}

// Register registers the service.
func Register(s *grpc.Server, st *store.Store) { pb.RegisterBankServer(s, &server{store: st}) }

// reached by: grpc Bank/Transfer
func (s *server) Transfer(ctx context.Context, _ *pb.Request) (*pb.Reply, error) {
	err := s.store.Touch(ctx, func(tx *sql.Tx) error { return store.Lock(ctx, tx) })
	return &pb.Reply{}, err
}
