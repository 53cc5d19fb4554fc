package contrast

import (
	"math"
	"math/rand/v2"
	"testing"
)

// The first row is Dunning's own example of a table; the others are by hand.
func TestG(t *testing.T) {
	for _, tc := range []struct {
		a, n, b, m uint64
		want       float64
	}{
		{110, 2552, 111, 29225, 270.72},
		{10, 100, 100, 1000, 0},
		{0, 100, 0, 1000, 0},
		{100, 100, 1000, 1000, 0},
		{10, 10, 0, 10, 27.7259},
	} {
		if got := G(tc.a, tc.n, tc.b, tc.m); math.Abs(got-tc.want) > 0.01 {
			t.Errorf("G(%d of %d, %d of %d) = %.4f, want %.4f", tc.a, tc.n, tc.b, tc.m, got, tc.want)
		}
	}
}

func TestRank(t *testing.T) {
	got := Rank([]Value{
		{"route", "/slow", 80, 100},
		{"plan", "free", 30, 300},   // as frequent as elsewhere
		{"region", "eu", 10, 900},   // less frequent
		{"account", "acc_7", 50, 0}, // nowhere else
		{"user", "u_1", 4, 0},       // too few records
		{"shard", "3", 100, 1000},   // everywhere
		{"release", "v2", 60, 120},
	}, 100, 1000)
	var order []string
	for _, f := range got {
		order = append(order, f.Field)
	}
	if len(order) != 3 || order[0] != "account" || order[1] != "route" || order[2] != "release" {
		t.Fatalf("got %v: %+v", order, got)
	}
	if f := got[1]; f.SelectedShare != 0.8 || f.BaselineShare != 0.1 || math.Abs(f.Lift-8) > 1e-9 {
		t.Errorf("%+v", f)
	}
	if f := got[0]; f.Lift != 1000 || f.BaselineShare != 0 {
		t.Errorf("%+v", f)
	}
	if got := Rank([]Value{{"a", "b", 5, 0}}, 5, 0); len(got) != 0 {
		t.Errorf("nothing to compare with: %v", got)
	}
}

// Where the selection is drawn by chance, findings are as rare as MaxPValue says.
func TestChanceFindsNothing(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	found := 0
	const rounds = 500
	for range rounds {
		values := make([]Value, 40)
		for i := range values {
			p := 0.01 + 0.5*r.Float64()
			for range 400 {
				if r.Float64() < p {
					values[i].Selected++
				}
			}
			for range 2000 {
				if r.Float64() < p {
					values[i].Baseline++
				}
			}
		}
		found += len(Rank(values, 400, 2000))
	}
	if found > rounds*3*MaxPValue*100/100 {
		t.Errorf("%d findings in %d rounds of chance, want at most about %.0f", found, rounds, rounds*MaxPValue)
	}
}
