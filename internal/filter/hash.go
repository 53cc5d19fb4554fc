package filter

// HashKeys gives the filter as it has to be asked where the values of some
// correlation keys are stored as hashes: their literals are hashed, and a bare name
// that is such a key means the key alone. Hashes have no order and no parts; the
// error, an *Error, names the comparison that would need them.
func (e *Expr) HashKeys(hashed func(key string) bool, hash func(value string) string) (*Expr, error) {
	if e.Root == nil {
		return e, nil
	}
	root, err := hashNode(e.Root, hashed, hash)
	if err != nil {
		return nil, err
	}
	return &Expr{Root: root}, nil
}

func hashNode(n Node, hashed func(string) bool, hash func(string) string) (Node, error) {
	switch n := n.(type) {
	case *And:
		terms, err := hashNodes(n.Terms, hashed, hash)
		return newAnd(terms), err
	case *Or:
		terms, err := hashNodes(n.Terms, hashed, hash)
		return newOr(terms), err
	case *Not:
		term, err := hashNode(n.Term, hashed, hash)
		return &Not{Term: term, pos: n.pos}, err
	}
	f := FieldOf(n)
	if f == nil || f.Column != correlation && !f.Bare() || !hashed(f.Key) {
		return n, nil
	}
	key := Field{Column: correlation, Key: f.Key, pos: f.pos}
	value := func(v Value) Value { return Value{Text: hash(v.Text)} }
	switch n := n.(type) {
	case *Compare:
		if n.Op == Eq || n.Op == Ne {
			return &Compare{Field: key, Op: n.Op, Value: value(n.Value)}, nil
		}
	case *In:
		out := &In{Field: key, Not: n.Not}
		for _, v := range n.Values {
			out.Values = append(out.Values, value(v))
		}
		return out, nil
	case *Exists:
		return &Exists{Field: key}, nil
	}
	return nil, &Error{
		Pos: f.pos, Length: len(f.Key), Found: "a comparison of " + clip(f.Key),
		Expected: "= != IN, NOT IN or EXISTS, because values of the correlation key " + clip(f.Key) + " are stored as hashes",
	}
}

func hashNodes(terms []Node, hashed func(string) bool, hash func(string) string) ([]Node, error) {
	out := make([]Node, len(terms))
	for i, t := range terms {
		var err error
		if out[i], err = hashNode(t, hashed, hash); err != nil {
			return nil, err
		}
	}
	return out, nil
}
