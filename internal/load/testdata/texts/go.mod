module example.test/texts

go 1.26
