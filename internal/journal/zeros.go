package journal

import "io"

const zeroChunk = 1 << 20

// writeZeros reserves room on file systems without preallocation.
func writeZeros(w io.WriterAt, size int64) error {
	zeros := make([]byte, zeroChunk)
	for off := int64(0); off < size; off += zeroChunk {
		if _, err := w.WriteAt(zeros[:min(zeroChunk, size-off)], off); err != nil {
			return err
		}
	}
	return nil
}
