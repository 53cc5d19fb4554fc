package native

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/ClickHouse/ch-go/proto"
	"github.com/ClickHouse/clickhouse-go/v2/lib/column"
	chproto "github.com/ClickHouse/clickhouse-go/v2/lib/proto"
)

const (
	// readBuffer is ch-go's own buffer size. A bufio.Reader at least that large
	// is used by proto.NewReader as it is, so that its Buffered tells how far
	// decoding has come.
	readBuffer = 128 << 10
	// maxRows and maxColumns reject what cannot be a block of the engine's
	// before memory is made for it: max_block_size is 65,409 rows by default,
	// and a block wider than 100,000 columns is a stream out of step.
	maxRows    = 100_000_000
	maxColumns = 100_000
)

// errEnd is the clean end of the input, between two blocks.
var errEnd = errors.New("end of blocks")

// transcoder reads blocks of revision 0 from in and writes them at revision.
type transcoder struct {
	in       recorder
	buffered *bufio.Reader
	reader   *proto.Reader
	dst      io.Writer
	revision uint64
	out      proto.Buffer
	types    column.ServerContext
	block    int
}

func newTranscoder(in io.Reader, dst io.Writer, revision uint64) *transcoder {
	t := &transcoder{dst: dst, revision: revision, types: column.ServerContext{Timezone: time.UTC}}
	t.in.src = in
	t.buffered = bufio.NewReaderSize(&t.in, readBuffer)
	t.reader = proto.NewReader(t.buffered)
	return t
}

// run returns errEnd when the input ended between blocks.
func (t *transcoder) run() error {
	for ; ; t.block++ {
		if _, err := t.buffered.Peek(1); err != nil {
			if errors.Is(err, io.EOF) {
				return errEnd
			}
			return fmt.Errorf("native output, block %d: %w", t.block, err)
		}
		if err := t.transcode(); err != nil {
			if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
				err = fmt.Errorf("%w: the output ends inside it", io.ErrUnexpectedEOF)
			}
			return fmt.Errorf("native output, block %d: %w", t.block, err)
		}
		if _, err := t.dst.Write(t.out.Buf); err != nil {
			return fmt.Errorf("write native block %d: %w", t.block, err)
		}
		t.out.Reset()
		t.in.forget(t.position())
	}
}

// position is how many recorded bytes have been decoded.
func (t *transcoder) position() int { return len(t.in.seen) - t.buffered.Buffered() }

func (t *transcoder) transcode() error {
	columns, err := t.reader.UVarInt()
	if err != nil {
		return fmt.Errorf("number of columns: %w", err)
	}
	rows, err := t.reader.UVarInt()
	if err != nil {
		return fmt.Errorf("number of rows: %w", err)
	}
	if columns > maxColumns || rows > maxRows {
		return fmt.Errorf("%d columns and %d rows, want at most %d and %d: not Native of revision 0", columns, rows, maxColumns, maxRows)
	}
	putBlockInfo(&t.out)
	t.out.PutUVarInt(columns)
	t.out.PutUVarInt(rows)
	for range columns {
		if err := t.column(int(rows)); err != nil {
			return err
		}
	}
	return nil
}

func (t *transcoder) column(rows int) error {
	name, err := t.reader.Str()
	if err != nil {
		return fmt.Errorf("name of a column: %w", err)
	}
	typ, err := t.reader.Str()
	if err != nil {
		return fmt.Errorf("column %q: type: %w", name, err)
	}
	t.out.PutString(name)
	t.out.PutString(typ)
	if t.revision >= chproto.DBMS_MIN_REVISION_WITH_CUSTOM_SERIALIZATION {
		t.out.PutBool(false) // the default serialization, the only one written at revision 0
	}
	start := t.position()
	if err := t.decode(name, typ, rows); err != nil {
		return fmt.Errorf("column %q of type %s: %w", name, typ, err)
	}
	t.out.PutRaw(t.in.seen[start:t.position()])
	return nil
}

// decode reads a column only to learn where it ends. A panic in the decoder is
// an error of this one answer, it must not end the engine's process.
func (t *transcoder) decode(name, typ string, rows int) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("decoder failed: %v", p)
		}
	}()
	c, err := column.Type(typ).Column(name, &t.types)
	if err != nil {
		return fmt.Errorf("no decoder at protocol revision %d, choose another format or cast it (states of aggregate functions: finalizeAggregation or a -Merge function): %w", t.revision, err)
	}
	if rows == 0 {
		return nil
	}
	if s, ok := c.(column.CustomSerialization); ok {
		if err := s.ReadStatePrefix(t.reader); err != nil {
			return fmt.Errorf("state prefix: %w", err)
		}
	}
	return c.Decode(t.reader, rows)
}

// putBlockInfo writes what every revision above 0 expects in front of a block:
// is_overflows = false, bucket_num = -1.
func putBlockInfo(b *proto.Buffer) {
	b.PutUVarInt(1)
	b.PutBool(false)
	b.PutUVarInt(2)
	b.PutInt32(-1)
	b.PutUVarInt(0)
}

// recorder keeps what has been read from src, until it is forgotten.
type recorder struct {
	src  io.Reader
	seen []byte
}

func (r *recorder) Read(p []byte) (int, error) {
	n, err := r.src.Read(p)
	r.seen = append(r.seen, p[:n]...)
	return n, err
}

// forget drops the first n recorded bytes.
func (r *recorder) forget(n int) {
	r.seen = r.seen[:copy(r.seen, r.seen[n:])]
}
