package session

import (
	"context"

	"gorm.io/gorm"
)

// A task is decorated by what captures the handle that somebody out of sight
// has opened.
type task func(ctx context.Context) error

func single(db *gorm.DB, name string, t task) task {
	return func(ctx context.Context) error {
		var got bool
		if err := db.WithContext(ctx).Raw("SELECT pg_try_advisory_lock(hashtextextended(?, 7))", "task:"+name).Scan(&got).Error; err != nil || !got { // want session-lock-via-pool "session lock advisory task: is taken on a gorm handle that pins no connection"
			return err
		}
		defer db.Exec("SELECT pg_advisory_unlock(hashtextextended(?, 7))", "task:"+name) // want unlock-other-conn "."
		return t(ctx)
	}
}

func RegisterTasks(db *gorm.DB, add func(string, task)) {
	add("@daily", single(db, "nightly", func(ctx context.Context) error { return ctx.Err() }))
}
