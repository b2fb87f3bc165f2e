package prog

import (
	"fmt"
	"testing"
)

// TestManyRouters looks for what stands before a router in a program where any
// of many routers may be below any other: it ends, and tells no more than that
// something may stand there.
func TestManyRouters(t *testing.T) {
	r := &routes{above: map[string][]Route{}, known: map[string][]string{}}
	for i := range 40 {
		for j := range 40 {
			if i != j {
				below := fmt.Sprint("router", i)
				r.above[below] = append(r.above[below], Route{Kind: "http", On: fmt.Sprint("router", j), To: below})
			}
		}
	}
	r.above["router3"] = append([]Route{{Kind: "http", On: "outermost", Name: "/api", To: "router3"}}, r.above["router3"]...)
	found := false
	for _, prefix := range r.prefixes("router3") {
		found = found || prefix == "/api"
	}
	if !found {
		t.Errorf("before router3 stands %q, want /api among it", r.prefixes("router3"))
	}
}
