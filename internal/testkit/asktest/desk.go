// Package asktest holds the suites that Ask is measured by: a desk of 286 records, and the
// questions of people with the right answer beside each. The questions and their answers were
// written before the grammar that reads them. The answers were computed from the records by a
// program that shares no code with the product.
package asktest

import (
	"embed"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"chela/internal/desk"
)

//go:embed testdata
var files embed.FS

// Now is the moment at which the desk is asked: a Wednesday.
func Now() time.Time { return time.Date(2026, 3, 11, 9, 0, 0, 0, time.UTC) }

// A record is one line of testdata/desk.json.
type record struct {
	ID        string          `json:"id"`
	Kind      desk.Kind       `json:"kind"`
	CreatedAt time.Time       `json:"createdAt"`
	UpdatedAt time.Time       `json:"updatedAt"`
	By        string          `json:"by"`
	Body      json.RawMessage `json:"body"`
}

// Desks are the files of desks: that of the questions, and two whose answers are checked, too. The third
// has no people.
func Desks() []string { return []string{"desk.json", "desk2.json", "desk3.json"} }

// Records returns the records of a desk; the first is the project. Records of the files in over stand instead of those of
// the same id, or are added.
func Records(name string, over ...string) ([]desk.Record, error) {
	all, err := read[[]record](name)
	if err != nil {
		return nil, err
	}
	for _, file := range over {
		more, err := read[[]record](file)
		if err != nil {
			return nil, err
		}
		for _, r := range more {
			if i := slices.IndexFunc(all, func(x record) bool { return x.ID == r.ID }); i >= 0 {
				all[i] = r
			} else {
				all = append(all, r)
			}
		}
	}
	out := make([]desk.Record, len(all))
	for i, r := range all {
		c := desk.Change{ID: r.ID, Kind: r.Kind, Project: all[0].ID, Op: desk.Created, Version: 1, Set: r.Body}
		if out[i], err = desk.Apply(desk.Record{}, c, r.CreatedAt, r.By); err != nil {
			return nil, fmt.Errorf("read the record %s: %w", r.ID, err)
		}
		out[i].UpdatedAt = r.UpdatedAt
	}
	return out, nil
}

// Planned returns the records of the first desk with a plan for each sprint, as an import of a tracker makes them.
func Planned() ([]desk.Record, error) { return Records(Desks()[0], "sprints.json") }

// Imported returns the records of [Planned] in which some tickets are bugs, closed without being done, of earlier years,
// carried over from another sprint, or mention S3A or ABFS.
func Imported() ([]desk.Record, error) { return Records(Desks()[0], "sprints.json", "imported.json") }

// ClosedHere returns the records of the first desk after some days' work: three tickets of which no tracker says when they
// were closed are closed here, and one of them is worked on again.
func ClosedHere() ([]desk.Record, error) {
	records, err := Records(Desks()[0])
	if err != nil {
		return nil, err
	}
	for _, c := range []struct {
		key, set string
		day      int // of March
	}{{"PAY-101", `{"status":"DONE"}`, 3}, {"PAY-161", `{"status":"DONE"}`, 4}, {"PAY-102", `{"outcome":"WONT_FIX","status":"CLOSED"}`, 6}, {"PAY-161", `{"status":"IN_PROGRESS"}`, 9}} {
		i := slices.IndexFunc(records, func(r desk.Record) bool {
			b, err := desk.Open[desk.TicketBody](r)
			return r.Kind == desk.Ticket && err == nil && b.ExternalRef == c.key
		})
		if i < 0 {
			return nil, fmt.Errorf("the ticket %s is not on the desk", c.key)
		}
		r := records[i]
		change := desk.Change{ID: r.ID, Kind: r.Kind, Project: r.Project, Op: desk.Updated, Version: r.Version + 1, Set: json.RawMessage(c.set)}
		if records[i], err = desk.Apply(r, change, time.Date(2026, 3, c.day, 15, 0, 0, 0, time.UTC), r.UpdatedBy); err != nil {
			return nil, fmt.Errorf("change %s: %w", c.key, err)
		}
	}
	return records, nil
}

func read[T any](name string) (out T, err error) {
	raw, err := files.ReadFile("testdata/" + name)
	if err != nil {
		return out, fmt.Errorf("read the suite: %w", err)
	}
	if err := json.Unmarshal(raw, &out); err != nil {
		return out, fmt.Errorf("read the suite %s: %w", name, err)
	}
	return out, nil
}
