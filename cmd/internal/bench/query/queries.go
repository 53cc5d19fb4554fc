package query

// Query is a question of the benchmark.
type Query struct {
	Name string
}

// Queries are all of them.
func Queries() []*Query { return nil }
