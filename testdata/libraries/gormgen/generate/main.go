// Command generate writes the queries of package gormgen.
package main

import (
	"gorm.io/gen"
	"gorm.io/gorm"
	"gorm.io/gorm/utils/tests"

	"libraries.test/gormgen/model"
)

func main() {
	db, err := gorm.Open(tests.DummyDialector{}, &gorm.Config{DryRun: true})
	if err != nil {
		panic(err)
	}
	g := gen.NewGenerator(gen.Config{OutPath: "query", Mode: gen.WithDefaultQuery | gen.WithQueryInterface})
	g.UseDB(db)
	g.ApplyBasic(model.Account{}, model.Entry{})
	g.Execute()
}
