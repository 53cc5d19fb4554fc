package demo

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"
)

// The incident of a run that goes on after an earlier one, which had its own.
const (
	nextIncidentAfter  = 4 * time.Minute
	nextIncidentLength = 4 * time.Minute
)

// resume gives the story of a run that starts now after an earlier one with
// story s: what was released stays released, and once its incident is over
// another one comes.
func (s Story) resume(now time.Time) Story {
	if !now.Before(s.IncidentEnd) {
		s.IncidentStart = now.Add(nextIncidentAfter)
		s.IncidentEnd = s.IncidentStart.Add(nextIncidentLength)
	}
	return s
}

// tell is the story in a sentence, as it stands at a time.
func (s Story) tell(now time.Time) string {
	clock := func(t time.Time) string { return t.UTC().Format("15:04:05") }
	released := "is out since"
	if !s.released(now) {
		released = "comes at"
	}
	failing := "fails"
	if !now.Before(s.IncidentEnd) {
		failing = "failed"
	}
	projects := services["projects"]
	return fmt.Sprintf("%s %s %s %s, and the payment provider %s from %s to %s (UTC)",
		projects.name, projects.next, released, clock(s.Release), failing, clock(s.IncidentStart), clock(s.IncidentEnd))
}

// readStory reads the story that an earlier run left in a file, and says whether
// there was one. Without a file name there is none.
func readStory(path string) (s Story, found bool, err error) {
	if path == "" {
		return s, false, nil
	}
	content, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return s, false, nil
	}
	if err == nil {
		err = json.Unmarshal(content, &s)
	}
	if err != nil {
		return s, false, fmt.Errorf("story of an earlier run, %s: %w: remove the file to begin a new one", path, err)
	}
	return s, true, nil
}

// writeStory leaves the story for the next run. The file takes its name when it
// is whole: a run that is killed leaves the old story or the new one.
func writeStory(path string, s Story) error {
	if path == "" {
		return nil
	}
	content, err := json.MarshalIndent(s, "", "  ")
	if err == nil {
		err = os.WriteFile(path+".new", append(content, '\n'), 0o600)
	}
	if err == nil {
		err = os.Rename(path+".new", path)
	}
	if err != nil {
		return fmt.Errorf("story, to go on with after a restart: %w", err)
	}
	return nil
}
