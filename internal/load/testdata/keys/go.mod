module example.test/keys

go 1.26

require (
	github.com/cespare/xxhash/v2 v2.3.0
	github.com/google/uuid v1.6.0
)

replace (
	github.com/cespare/xxhash/v2 => ./stand/xxhash
	github.com/google/uuid => ./stand/uuid
)
