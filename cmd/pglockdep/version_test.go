package main

import (
	"runtime/debug"
	"testing"
)

func TestBuilt(t *testing.T) {
	installed := &debug.BuildInfo{Main: debug.Module{Version: "v1.2.3", Sum: "h1:x"}}
	checkout := &debug.BuildInfo{Main: debug.Module{Version: "v1.2.4-0.20260101000000-0123456789ab+dirty"},
		Settings: []debug.BuildSetting{{Key: "vcs.revision", Value: "0123"}, {Key: "vcs.modified", Value: "true"}}}
	for _, x := range []struct {
		info            *debug.BuildInfo
		version, commit string
	}{{installed, "v1.2.3", "unknown"}, {checkout, "devel", "0123, modified"}, {nil, "devel", "unknown"}} {
		if v, c := built(x.info, x.info != nil); v != x.version || c != x.commit {
			t.Errorf("built gives %q, %q, want %q, %q", v, c, x.version, x.commit)
		}
	}
}
