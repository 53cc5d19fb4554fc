package clickhouserollupexporter

import (
	"context"

	"golang.org/x/sync/semaphore"
)

// budget bounds the bytes of deliveries that are held in units. The queue hands
// out as many deliveries as there are consumers, however large they are; one that
// the budget has no room for gives its bytes back and waits, first come first
// served.
type budget struct {
	limit int64
	sem   *semaphore.Weighted
	// press and release are called around a wait.
	press, release func()
}

func newBudget(limit int, press, release func()) *budget {
	return &budget{limit: int64(limit), sem: semaphore.NewWeighted(int64(limit)), press: press, release: release}
}

// share is what a delivery takes of the budget: one that is larger than all of it
// waits until nothing else is held.
func (b *budget) share(bytes int) int64 { return min(int64(bytes), b.limit) }

// take waits until there is room. set is called before the wait, if there is one.
func (b *budget) take(ctx context.Context, bytes int, setDown func()) error {
	n := b.share(bytes)
	if b.sem.TryAcquire(n) {
		return nil
	}
	setDown()
	b.press()
	defer b.release()
	return b.sem.Acquire(ctx, n)
}

func (b *budget) give(bytes int) { b.sem.Release(b.share(bytes)) }
