package reference

import "fmt"

// RareHits is how many requests of Main match each rare filter. They lie evenly
// over the whole time.
const RareHits = 50

// rareStatuses are given to nothing but rare requests.
var rareStatuses = [...]uint16{402, 405, 406, 407, 410, 411, 412, 418, 421, 423, 424, 426, 428, 431, 451, 506, 507, 508, 510, 511}

// Rares is how many rare filters there are of each kind.
const Rares = len(rareStatuses)

// RareStatus is a status that RareHits requests have.
func RareStatus(n int) uint16 { return rareStatuses[n] }

// RareExperiment is a value of the attribute experiment that RareHits requests have.
func RareExperiment(n int) string { return fmt.Sprintf("x-%02d", n) }

// RareText stands in the error message of RareHits requests.
func RareText(n int) string { return fmt.Sprintf("shard %02d vanished", n) }

// RareOrder is the order_id of RareHits requests.
func RareOrder(n int) string { return fmt.Sprintf("o_rare_%02d", n) }

// rareKind is what is rare about a request.
type rareKind int

const (
	byStatus rareKind = iota
	byAttribute
	byText
	byKey
	rareKinds
)

type rare struct {
	kind    rareKind
	variant int
}

// rareAt says which requests of so many are rare.
func rareAt(rows int64) map[int64]rare {
	at := make(map[int64]rare, int(rareKinds)*Rares*RareHits)
	slot := rows / RareHits
	for hit := range int64(RareHits) {
		for n := range int64(rareKinds) * int64(Rares) {
			i := hit*slot + (2*n+1)*slot/(2*int64(rareKinds)*int64(Rares))
			if isOther(i) {
				i--
			}
			at[i] = rare{rareKind(n % int64(rareKinds)), int(n / int64(rareKinds))}
		}
	}
	return at
}

// isOther says whether request i is a small project's.
func isOther(i int64) bool { return i%otherEvery == otherEvery-1 }
