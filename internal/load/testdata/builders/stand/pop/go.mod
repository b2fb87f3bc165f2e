module github.com/gobuffalo/pop/v6

go 1.26
