package filter

import (
	"strconv"
	"unicode/utf8"
)

// Limits of a filter. They keep the cost of testing a record within what a
// reader of a few conditions needs, and statements within what a store takes.
const (
	// MaxLength is the longest filter that Parse takes, in bytes. The text travels
	// in URLs, and no reader needs more.
	MaxLength = 16 << 10
	// MaxTerms is the most comparisons in a filter.
	MaxTerms = 256
	// MaxValues is the most literals in all lists of a filter.
	MaxValues = 1000
	// MaxPatterns is the most patterns and free texts in a filter. They cost the most
	// of all comparisons, by the length of what is searched.
	MaxPatterns = 32
	// MaxDepth is how deep AND, OR and NOT may be nested in each other.
	MaxDepth = 64
	// maxNesting is how deep parentheses and NOT may be nested in the text: the
	// canonical form of a tree of MaxDepth stays below it.
	maxNesting = 4 * MaxDepth
)

// countTerm counts a comparison, which ends or begins with the token in hand. A
// range is two.
func (p *parser) countTerm() error {
	if p.terms++; p.terms > MaxTerms {
		return p.expected("at most " + strconv.Itoa(MaxTerms) + " comparisons")
	}
	return nil
}

// countPattern counts a pattern or a free text, which is the token in hand.
func (p *parser) countPattern() error {
	if p.patterns++; p.patterns > MaxPatterns {
		return p.expected("at most " + strconv.Itoa(MaxPatterns) + " patterns and texts to search for")
	}
	return nil
}

// nest counts a level of nesting, until the function it gives is called.
func (p *parser) nest() (func(), error) {
	if p.depth++; p.depth > maxNesting {
		return nil, p.expected("at most " + strconv.Itoa(maxNesting) + " levels of parentheses and NOT")
	}
	return func() { p.depth-- }, nil
}

// checkDepth refuses a tree that is deeper than MaxDepth.
func (p *parser) checkDepth(root Node) error {
	deep := below(root, MaxDepth)
	if deep == nil {
		return nil
	}
	at := deep.Pos()
	_, size := utf8.DecodeRuneInString(p.lex.src[at:])
	return &Error{
		Pos: at, Length: size, Found: strconv.Quote(p.lex.src[at:at+size]) + " at depth " + strconv.Itoa(MaxDepth+1),
		Expected: "AND, OR and NOT to be nested at most " + strconv.Itoa(MaxDepth) + " deep",
	}
}

// below finds a node that lies deeper in the tree than depth; nil when there is none.
func below(n Node, depth int) Node {
	if depth < 0 {
		return n
	}
	var terms []Node
	switch n := n.(type) {
	case *And:
		terms = n.Terms
	case *Or:
		terms = n.Terms
	case *Not:
		terms = []Node{n.Term}
	}
	for _, t := range terms {
		if deep := below(t, depth-1); deep != nil {
			return deep
		}
	}
	return nil
}
