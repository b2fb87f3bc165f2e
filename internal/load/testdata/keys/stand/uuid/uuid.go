// Package uuid stands in for github.com/google/uuid: same signatures.
package uuid

type UUID [16]byte

func New() UUID                      { return UUID{} }
func Parse(s string) (UUID, error)   { return UUID{}, nil }
func MustParse(s string) UUID        { return UUID{} }
func (u UUID) String() string        { return "" }
func (u UUID) ID() uint32            { return 0 }
func NewSHA1(ns UUID, d []byte) UUID { return UUID{} }
