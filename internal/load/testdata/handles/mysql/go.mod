module example.test/mysql

go 1.25
