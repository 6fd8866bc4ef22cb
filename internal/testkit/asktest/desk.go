// Package asktest holds the suites that Ask is measured by: a desk of 286 records, and the
// questions of people with the right answer beside each. The questions and their answers were
// written before the grammar that reads them. The answers were computed from the records by a
// program that shares no code with the product.
package asktest

import (
	"embed"
	"encoding/json"
	"fmt"
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

// Records returns the records of a desk; the first is the project.
func Records(name string) ([]desk.Record, error) {
	all, err := read[[]record](name)
	if err != nil {
		return nil, err
	}
	out := make([]desk.Record, len(all))
	for i, r := range all {
		out[i] = desk.Record{
			ID: r.ID, Kind: r.Kind, Project: all[0].ID, Version: 1, Body: r.Body,
			CreatedAt: r.CreatedAt, UpdatedAt: r.UpdatedAt, CreatedBy: r.By, UpdatedBy: r.By,
		}
	}
	return out, nil
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
