package queryserver

// unitWeight is the weight of a request that stands for itself: rollups and rows
// keep weights in 1/256.
const unitWeight = 256

// estimate is how many requests a sum of weights stands for.
func estimate(weight uint64) float64 { return float64(weight) / unitWeight }

// isSampled says whether rows with this sum of weights stand for another number
// of requests than there are of them.
func isSampled(rows, weight uint64) bool { return weight != rows*unitWeight }
