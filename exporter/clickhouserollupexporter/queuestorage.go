package clickhouserollupexporter

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strconv"
	"sync"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/extension/xextension/storage"
)

// queueHost is the host that the helper's queue is started with. Its storage is
// the configured one, seen through queueStorage.
type queueHost struct {
	component.Host
	id      component.ID
	storage *queueStorage
}

// GetExtensions gives the host's extensions, the queue's storage wrapped.
func (h queueHost) GetExtensions() map[component.ID]component.Component {
	extensions := maps.Clone(h.Host.GetExtensions())
	if ext, ok := extensions[h.id].(storage.Extension); ok {
		extensions[h.id] = storageExtension{ext, h.storage}
	}
	return extensions
}

type storageExtension struct {
	storage.Extension
	queue *queueStorage
}

// GetClient opens the queue's storage and reads from it what the exporter has to
// know before the queue touches it.
func (e storageExtension) GetClient(ctx context.Context, kind component.Kind, id component.ID, name string) (storage.Client, error) {
	client, err := e.Extension.GetClient(ctx, kind, id, name)
	if err != nil {
		return nil, err
	}
	e.queue.Client = client
	if err := e.queue.opened(ctx, client); err != nil {
		return nil, errors.Join(err, client.Close(ctx))
	}
	return e.queue, nil
}

// queueStorage stands between the helper's persistent queue and its storage. The
// queue tells nobody which key an item has, drops an item it cannot read, and
// counts the size of an item that the storage refused until it has been empty
// once. All this can be seen, and mended, in what it asks of its storage.
//
// The exporter's own state lies beside the items, under keys that are no numbers,
// so that one journal orders both.
type queueStorage struct {
	storage.Client
	// opened is called with the client before the queue uses it.
	opened func(ctx context.Context, client storage.Client) error
	// closing is called before the client is closed.
	closing func(ctx context.Context) error
	// deleted is called when a delivery that had been dispatched is deleted.
	deleted func(id deliveryID)

	mu    sync.Mutex
	keys  map[deliveryID]string // of dispatched items
	ids   map[string]deliveryID // the same, the other way round
	holes map[string][]byte     // what stands for items that the storage refused
}

func newQueueStorage() *queueStorage {
	return &queueStorage{keys: map[deliveryID]string{}, ids: map[string]deliveryID{}, holes: map[string][]byte{}}
}

// offered is how the storage answered an offer. The queue is told that all went
// well: it would otherwise count the size of what it could not store.
type offered struct {
	req *request
	err error
}

type offeredKey struct{}

// Batch does what the queue asks for.
func (s *queueStorage) Batch(ctx context.Context, ops ...*storage.Operation) error {
	var put, get *storage.Operation
	sets := 0
	for _, op := range ops {
		switch {
		case op.Type == storage.Set:
			sets++
			if isItemKey(op.Key) {
				put = op
			}
		case op.Type == storage.Get && isItemKey(op.Key):
			get = op
		}
	}
	err := s.Client.Batch(ctx, ops...)
	s.mu.Lock()
	defer s.mu.Unlock()
	if o, ok := ctx.Value(offeredKey{}).(*offered); ok && put != nil && err != nil {
		o.err = err
		s.holes[put.Key] = appendHole(nil, o.req)
		return nil
	}
	if err != nil {
		return err
	}
	if get != nil && sets > 0 { // a dispatch
		s.dispatched(get)
	}
	for _, op := range ops {
		if op.Type == storage.Delete {
			s.forget(op.Key)
		}
	}
	return nil
}

// Close closes the client, when the queue and its consumers have done with it.
func (s *queueStorage) Close(ctx context.Context) error {
	return errors.Join(s.closing(ctx), s.Client.Close(ctx))
}

func (s *queueStorage) dispatched(op *storage.Operation) {
	if hole, ok := s.holes[op.Key]; ok && op.Value == nil {
		op.Value = hole
		return
	}
	if id, err := itemID(op.Value); err == nil {
		s.keys[id], s.ids[op.Key] = op.Key, id
	}
}

func (s *queueStorage) forget(key string) {
	delete(s.holes, key)
	id, ok := s.ids[key]
	if !ok {
		return
	}
	delete(s.ids, key)
	if s.keys[id] == key {
		delete(s.keys, id)
		s.deleted(id)
	}
}

// load reads the bytes of a dispatched item again.
func (s *queueStorage) load(ctx context.Context, id deliveryID) ([]byte, error) {
	s.mu.Lock()
	key := s.keys[id]
	s.mu.Unlock()
	data, err := s.Get(ctx, key)
	if err != nil {
		return nil, fmt.Errorf("reading delivery %s: %w", id, err)
	}
	if len(data) == 0 {
		return nil, fmt.Errorf("reading delivery %s: %w", id, errNoValue)
	}
	return data, nil
}

// find looks for the items of deliveries, by reading the queue from its oldest key
// until it has them all.
func find(ctx context.Context, client storage.Client, wanted map[deliveryID]struct{}) (map[deliveryID][]byte, error) {
	found := map[deliveryID][]byte{}
	if len(wanted) == 0 {
		return found, nil
	}
	walker, ok := client.(storage.Walker)
	if !ok {
		return nil, errors.New("want a storage that can list its keys, such as journal_storage")
	}
	err := walker.Walk(ctx, func(key string, value []byte) ([]*storage.Operation, error) {
		if !isItemKey(key) {
			return nil, nil
		}
		// What is no item the queue will meet, and report.
		if id, err := itemID(value); err == nil {
			if _, ok := wanted[id]; ok {
				found[id] = append([]byte(nil), value...) // valid during the walk only
			}
		}
		if len(found) == len(wanted) {
			return nil, storage.SkipAll
		}
		return nil, nil
	})
	return found, err
}

// isItemKey tells the keys of the queue's items, which are numbers, from others.
func isItemKey(key string) bool {
	_, err := strconv.ParseUint(key, 10, 64)
	return err == nil
}
