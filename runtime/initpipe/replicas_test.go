package initpipe

import (
	"slices"
	"sync"
	"testing"
	"time"
)

// TestReplicas sends 20 requests at once to two replicas: one runs, nineteen
// are refused.
func TestReplicas(t *testing.T) {
	modes(t, func(t *testing.T, w *world, mode func(*Config)) {
		var urls [2]string
		whole := w.pipeline(content(nil), mode).cfg.OneTx
		for i := range urls {
			urls[i] = "http://" + spawn(t, childConfig{DSN: w.dsn, OneTx: whole, Serve: true, Gate: true}, nil).wait("listening") + api
		}
		gate := must(w.pool.Acquire(bg))
		defer gate.Release()
		var refusals []time.Duration
		rounds := many(4, 50)
		for round := range rounds {
			must(gate.Exec(bg, `SELECT pg_advisory_lock($1)`, gateKey))
			w.exec(`DROP TABLE IF EXISTS course`)
			if round > 0 {
				w.exec(`DELETE FROM initpipe_applied`)
			}
			refusals = append(refusals, crowd(t, w, urls, func() { must(gate.Exec(bg, `SELECT pg_advisory_unlock($1)`, gateKey)) })...)
			if n := get[int](w, `SELECT count(*) FROM initpipe_run WHERE outcome = 'succeeded'`); n != round+1 {
				t.Fatalf("%d runs after round %d", n, round+1)
			}
			if n := get[int](w, `SELECT count(*) FROM initpipe_run`); n != round+1 {
				t.Fatalf("%d runs are recorded after round %d", n, round+1)
			}
			if w.courses() != 3 {
				t.Fatalf("%d courses", w.courses())
			}
		}
		slices.Sort(refusals)
		median := refusals[len(refusals)/2]
		t.Logf("%d rounds, %d refusals: median %v, worst %v", rounds, len(refusals), median, refusals[len(refusals)-1])
		if full && median > 100*time.Millisecond {
			t.Errorf("the median is over 100 ms")
		}
	})
}

// crowd sends the requests, and opens the gate when nineteen are answered. It
// returns how long these answers took.
func crowd(t *testing.T, w *world, urls [2]string, open func()) []time.Duration {
	t.Helper()
	const n = 20
	var mu sync.Mutex
	var refused []time.Duration
	statuses := map[int]int{}
	var all sync.WaitGroup
	all.Add(n - 1)
	done := make(chan struct{}, n)
	for i := range n {
		go func() {
			defer func() { done <- struct{}{} }()
			begun := time.Now()
			r, err := send(t.Context(), "POST", urls[i%2], "")
			mu.Lock()
			defer mu.Unlock()
			statuses[r.status]++
			switch {
			case err != nil:
				t.Error(err)
			case r.status == 409:
				refused = append(refused, time.Since(begun))
				if r.body.Code != "INIT_IN_PROGRESS" || r.head.Get("Retry-After") == "" {
					t.Errorf("409: %s", r.text)
				}
			case r.status == 200 && r.body.Code == "INITIALISED":
				return
			default:
				t.Errorf("%d: %s", r.status, r.text)
			}
			all.Done()
		}()
	}
	waited := make(chan struct{})
	go func() { all.Wait(); close(waited) }()
	select {
	case <-waited:
	case <-time.After(20 * time.Second):
		t.Errorf("answers until now: %v", statuses)
	}
	open()
	for range n {
		<-done
	}
	if statuses[200] != 1 || statuses[409] != n-1 {
		t.Fatalf("answers: %v", statuses)
	}
	return refused
}
