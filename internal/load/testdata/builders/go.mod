module example.test/builders

go 1.26

require (
	github.com/Masterminds/squirrel v1.5.4
	github.com/gobuffalo/pop/v6 v6.1.1
	gorm.io/gorm v1.26.0
)

replace (
	github.com/Masterminds/squirrel => ./stand/squirrel
	github.com/gobuffalo/pop/v6 => ./stand/pop
	gorm.io/gorm => ./stand/gorm
)
