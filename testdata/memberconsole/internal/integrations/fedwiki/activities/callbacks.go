package activities

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"

	"example.test/memberconsole/internal/usage"
)

// Routes adds to mux what the farm calls when it has done its part.
func (a *Activities) Routes(mux *http.ServeMux) {
	mux.HandleFunc("POST /farm/swaps", callback(a.RecordSwapActivity))
	mux.HandleFunc("POST /farm/deletions", callback(a.RecordSiteDeletedActivity))
	mux.HandleFunc("POST /farm/reactivations", func(w http.ResponseWriter, r *http.Request) {
		back, err := a.ReactivateActivity(r.Context(), r.FormValue("workspace"), r.FormValue("domain"))
		if err == nil && !back {
			err = usage.ErrExhausted
		}
		reply(w, err)
	})
}

// callback makes a handler of an activity whose input is the request's body.
func callback[In any](activity func(context.Context, In) error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var in In
		if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
			http.Error(w, "request is not readable", http.StatusBadRequest)
			return
		}
		reply(w, activity(r.Context(), in))
	}
}

func reply(w http.ResponseWriter, err error) {
	switch {
	case errors.Is(err, ErrNotAccepted), errors.Is(err, usage.ErrExhausted):
		http.Error(w, err.Error(), http.StatusConflict)
	case err != nil:
		http.Error(w, "not recorded", http.StatusInternalServerError)
	default:
		w.WriteHeader(http.StatusNoContent)
	}
}
