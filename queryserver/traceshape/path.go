package traceshape

import (
	"cmp"
	"slices"
)

// frame is a span whose part of the critical path is being followed, from its end
// backwards.
type frame struct {
	span     int
	from, to int64 // what of the path is still to be found in the span
	waiting  []call
}

// call is a child's time within its parent.
type call struct {
	span     int
	from, to int64
}

// criticalPath goes from the root's end backwards: the span waited for the child
// that ended last, before that for the child that had ended last when this one
// started, and so on; in between it was busy itself.
func (b *builder) criticalPath(root int) []Segment {
	var path []Segment // backwards
	own := func(span int, from, to int64) {
		if from < to {
			path = append(path, Segment{span, from, to})
		}
	}
	stack := []frame{b.frame(root, b.start(root), b.end(root))}
	for len(stack) > 0 {
		f := &stack[len(stack)-1]
		for len(f.waiting) > 0 && f.waiting[0].to > f.to {
			f.waiting = f.waiting[1:] // still running when what was waited for began
		}
		if len(f.waiting) == 0 {
			own(f.span, f.from, f.to)
			stack = stack[:len(stack)-1]
			continue
		}
		c := f.waiting[0]
		f.waiting = f.waiting[1:]
		own(f.span, c.to, f.to)
		f.to = c.from
		stack = append(stack, b.frame(c.span, c.from, c.to))
	}
	slices.Reverse(path)
	return path
}

// frame lists the children of a span within from and to, the last to end first.
func (b *builder) frame(span int, from, to int64) frame {
	f := frame{span: span, from: from, to: to}
	for _, c := range b.children[span] {
		if lo, hi := b.clipped(c, from, to); lo < hi {
			f.waiting = append(f.waiting, call{c, lo, hi})
		}
	}
	slices.SortStableFunc(f.waiting, func(x, y call) int { return cmp.Or(cmp.Compare(y.to, x.to), cmp.Compare(x.from, y.from)) })
	return f
}
