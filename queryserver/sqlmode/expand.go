package sqlmode

// maxSelects bounds the SELECTs of a statement once its common table expressions are
// put in where they are named. The engine plans each of them, which neither its limit
// on time nor that on memory interrupts, and a statement of a dozen lines that names
// each expression twice has thousands.
const maxSelects = 200

// expansion counts them, from the lines of a query tree.
type expansion struct {
	open   []block           // the common table expressions around the line, outermost first
	blocks map[string]*block // by name; what shares a name is counted together
	top    *block
}

// block is what stands within one common table expression, or outside of all.
type block struct {
	name    string
	depth   int
	queries int
	names   map[string]int
	// total is known once the block has been counted.
	total   int
	counted bool
}

func newExpansion() *expansion {
	return &expansion{blocks: map[string]*block{}, top: &block{names: map[string]int{}}}
}

// node takes the next node of the tree. name is a common table expression's, or an
// identifier's, which may be a column's of the same name: that counts too much, never
// too little.
func (e *expansion) node(depth int, kind, name string) {
	for len(e.open) > 0 && e.open[len(e.open)-1].depth >= depth {
		e.open = e.open[:len(e.open)-1]
	}
	switch kind {
	case "QUERY", "UNION":
		if name != "" {
			if e.blocks[name] == nil {
				e.blocks[name] = &block{name: name, names: map[string]int{}}
			}
			e.open = append(e.open, block{name: name, depth: depth})
		}
		if kind == "QUERY" {
			e.current().queries++
		}
	case "IDENTIFIER":
		e.current().names[name]++
	}
}

func (e *expansion) current() *block {
	if len(e.open) == 0 {
		return e.top
	}
	return e.blocks[e.open[len(e.open)-1].name]
}

// selects counts, up to a little more than maxSelects.
func (e *expansion) selects() int { return e.count(e.top) }

func (e *expansion) count(b *block) int {
	if b.counted {
		return b.total
	}
	// A recursive expression names itself, which reads what it has and is no copy.
	b.counted, b.total = true, 0
	total := b.queries
	for name, times := range b.names {
		if inner := e.blocks[name]; inner != nil {
			total = min(total+times*e.count(inner), maxSelects+1)
		}
		if isView(name) {
			total = min(total+times, maxSelects+1)
		}
	}
	b.total = total
	return total
}
