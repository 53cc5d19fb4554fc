package demo

import (
	"math"
	"time"
)

// Story is what happens during a run, in time.
type Story struct {
	// From IncidentStart until IncidentEnd the payment provider times out.
	IncidentStart time.Time `json:"incident_start"`
	IncidentEnd   time.Time `json:"incident_end"`
	// At Release the projects service gets a version whose task list is slower.
	Release time.Time `json:"release"`
}

// NewStory places the events. A history of some length contains both, the
// release past its middle and the incident near its end; without a history they
// happen within the first quarter of an hour.
func NewStory(start time.Time, history time.Duration) Story {
	if history <= 0 {
		return Story{
			IncidentStart: start.Add(4 * time.Minute),
			IncidentEnd:   start.Add(8 * time.Minute),
			Release:       start.Add(12 * time.Minute),
		}
	}
	incident := start.Add(history * 8 / 10)
	return Story{
		Release:       start.Add(history * 55 / 100),
		IncidentStart: incident,
		IncidentEnd:   incident.Add(min(max(history/12, 5*time.Minute), 45*time.Minute)),
	}
}

func (s Story) incident(t time.Time) bool {
	return !t.Before(s.IncidentStart) && t.Before(s.IncidentEnd)
}

func (s Story) released(t time.Time) bool { return !t.Before(s.Release) }

// DailyCurve is the traffic at t relative to the average of a working day, UTC:
// 0.35 at three in the morning and 1.65 at three in the afternoon, less at weekends.
func DailyCurve(t time.Time) float64 {
	t = t.UTC()
	hour := float64(t.Hour()) + float64(t.Minute())/60
	factor := 1 + 0.65*math.Cos((hour-15)/24*2*math.Pi)
	if day := t.Weekday(); day == time.Saturday || day == time.Sunday {
		factor *= 0.55
	}
	return factor
}
