package deadletter

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// written makes a file of the entries a, b and c and gives the offsets of each and
// the end.
func written(t *testing.T, dir string) (offsets []int64, data []byte) {
	t.Helper()
	s := open(t, dir, 0)
	for _, id := range []string{"a", "b", "c"} {
		require.NoError(t, s.Write(entry(id, 300)))
	}
	list, err := s.List()
	require.NoError(t, err)
	for _, l := range list {
		offsets = append(offsets, l.Offset)
	}
	require.NoError(t, s.Close())
	data, err = os.ReadFile(filePath(dir, 1))
	require.NoError(t, err)
	return append(offsets, int64(len(data))), data
}

func TestEveryTornTailIsCut(t *testing.T) {
	dir := t.TempDir()
	offsets, data := written(t, dir)
	for size := offsets[2] + 1; size < offsets[3]; size += 7 {
		require.NoError(t, os.WriteFile(filePath(dir, 1), data[:size], fileMode))
		s, err := Open(dir, 0)
		require.NoError(t, err)
		require.Equal(t, []string{"a", "b"}, idsOf(t, s), "size %d", size)
		require.EqualValues(t, 1, s.Stats().Torn)
		require.Empty(t, s.Damage())
		require.NoError(t, s.Write(entry("d", 10)))
		require.NoError(t, s.Close())
		s, err = Open(dir, 0)
		require.NoError(t, err)
		require.Equal(t, []string{"a", "b", "d"}, idsOf(t, s), "size %d", size)
		require.Zero(t, s.Stats().Torn)
		_, err = s.Remove("d")
		require.NoError(t, err)
		require.NoError(t, s.Close())
	}
}

func TestAFileBarelyBegunIsRemoved(t *testing.T) {
	for name, data := range map[string][]byte{"empty": nil, "cut header": []byte("TWD"), "zeros": make([]byte, 8), "zeros for an entry": append(fileHeader(), make([]byte, 64)...)} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			written(t, dir)
			require.NoError(t, os.WriteFile(filePath(dir, 2), data, fileMode))
			s := open(t, dir, 0)
			assert.Equal(t, []string{"a", "b", "c"}, idsOf(t, s))
			assert.EqualValues(t, 1, s.Stats().Torn)
			require.NoFileExists(t, filePath(dir, 2))
		})
	}
}

// Every single damaged byte loses at most the entry it is in, names the place, and
// keeps the rest.
func TestEveryDamagedByteIsNamed(t *testing.T) {
	dir := t.TempDir()
	offsets, data := written(t, dir)
	for at := int64(headerSize); at < offsets[3]; at += 11 {
		bad := append([]byte(nil), data...)
		bad[at] ^= 0x40
		require.NoError(t, os.WriteFile(filePath(dir, 1), bad, fileMode))
		s, err := Open(dir, 0)
		require.NoError(t, err)
		hit := 0
		for hit < 2 && at >= offsets[hit+1] {
			hit++
		}
		kept := []string{"a", "b", "c"}
		kept = append(kept[:hit], kept[hit+1:]...)
		if s.Stats().Torn == 1 {
			// The length of the last entry: it looks as if it had been cut short.
			require.Equal(t, 2, hit)
			require.NoError(t, s.Close())
			continue
		}
		damage := s.Damage()
		if len(damage) == 0 {
			require.Equal(t, []string{"a", "b", "c"}, idsOf(t, s), "offset %d: padding", at)
			require.NoError(t, s.Close())
			continue
		}
		require.Equal(t, kept, idsOf(t, s), "offset %d", at)
		require.Len(t, damage, 1)
		require.Equal(t, filePath(dir, 1), damage[0].File)
		require.Equal(t, offsets[hit], damage[0].Offset)
		require.Equal(t, offsets[hit+1]-offsets[hit], damage[0].Bytes)

		// Removing others keeps the place; dropping it leaves the others.
		_, err = s.Remove(kept[0])
		require.NoError(t, err)
		require.Len(t, s.Damage(), 1)
		require.NoError(t, s.Close())
		s, err = Open(dir, 0)
		require.NoError(t, err)
		require.Len(t, s.Damage(), 1, "offset %d", at)
		n, err := s.RemoveDamaged()
		require.NoError(t, err)
		require.Equal(t, 1, n)
		require.Empty(t, s.Damage())
		require.Equal(t, kept[1:], idsOf(t, s))
		require.NoError(t, s.Close())
	}
}

func TestADiskThatLosesAnEntryLater(t *testing.T) {
	dir := t.TempDir()
	offsets, data := written(t, dir)
	s := open(t, dir, 0)
	bad := append([]byte(nil), data...)
	bad[offsets[1]+200] ^= 1
	require.NoError(t, os.WriteFile(filePath(dir, 1), bad, fileMode))
	_, err := s.Read("b")
	var damage *Damage
	require.ErrorAs(t, err, &damage)
	assert.Equal(t, offsets[1], damage.Offset)
	assert.Equal(t, []string{"a", "c"}, idsOf(t, s))
	assert.Len(t, s.Damage(), 1)
}

func TestANewerFormatIsLeftAlone(t *testing.T) {
	dir := t.TempDir()
	_, data := written(t, dir)
	data[len(fileMagic)] = formatVersion + 1
	require.NoError(t, os.WriteFile(filePath(dir, 1), data, fileMode))
	_, err := Open(dir, 0)
	require.ErrorContains(t, err, "format version 2, this release reads 1")
}

func FuzzOpen(f *testing.F) {
	dir := f.TempDir()
	s, err := Open(dir, 0)
	if err != nil {
		f.Fatal(err)
	}
	if err := s.Write(entry("a", 40)); err != nil {
		f.Fatal(err)
	}
	if err := s.Close(); err != nil {
		f.Fatal(err)
	}
	data, err := os.ReadFile(filePath(dir, 1))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Fuzz(func(t *testing.T, data []byte) {
		dir := t.TempDir()
		require.NoError(t, os.WriteFile(filePath(dir, 1), data, fileMode))
		s, err := Open(dir, 0)
		if err != nil {
			return
		}
		idsOf(t, s)
		require.NoError(t, s.Close())
	})
}
