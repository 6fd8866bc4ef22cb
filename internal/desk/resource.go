package desk

import (
	"fmt"
	"slices"
	"strings"

	"chela/internal/fault"
)

// Resource is the kind of people who do work.
const Resource Kind = "resource"

// A ResourceBody is somebody who does work. Capacity is in hours a week,
// availability the share of it that goes to this project.
type ResourceBody struct {
	Name         string   `json:"name"`
	Email        string   `json:"email,omitempty"`
	Role         string   `json:"role"`
	Skills       []string `json:"skills,omitempty"`
	Capacity     *float64 `json:"capacity,omitempty"`     // 40 when not said
	Availability *float64 `json:"availability,omitempty"` // 1 when not said
	Aliases      []string `json:"aliases,omitempty"`      // other names it goes by in sources
	Away         []string `json:"away,omitempty" doc:"when the person is away: days, or first and last ones, such as 2026-12-03 to 2026-12-07"`
	Sources      []Source `json:"sources,omitempty"`

	// Imported are hashes of what the last roster said, by field.
	Imported map[string]string `json:"imported,omitempty" hidden:"true"`
}

// Check implements [Thing].
func (r *ResourceBody) Check() error {
	r.Name = named(r.Name)
	orDefault(&r.Role, "ENGINEER")
	if r.Capacity == nil {
		hours := 40.0
		r.Capacity = &hours
	}
	if r.Availability == nil {
		full := 1.0
		r.Availability = &full
	}
	if *r.Capacity < 0 || *r.Capacity > 168 {
		return fault.BadField("capacity", "Capacity is in hours a week, between 0 and 168.")
	}
	if *r.Availability < 0 || *r.Availability > 1 {
		return fault.BadField("availability", "Availability is a share between 0 and 1.")
	}
	away, err := checkAway(r.Away)
	r.Away = away
	return firstOf(err, required("name", r.Name), oneOf("role", r.Role, []string{"ENGINEER", "DESIGNER", "PM", "QA"}))
}
func (r *ResourceBody) identity() string { return r.Name }
func (r *ResourceBody) title() string    { return r.Name }
func (r *ResourceBody) status() string   { return r.Role }
func (r *ResourceBody) refs() []Ref      { return nil }

// Answers reports whether the resource goes by the name.
func (r *ResourceBody) Answers(name string) bool {
	return fold(r.Name) == fold(name) || r.Email != "" && fold(r.Email) == fold(name) ||
		slices.ContainsFunc(r.Aliases, func(a string) bool { return fold(a) == fold(name) })
}

// First reports whether name is the resource's first name alone, which says who is meant
// when nobody else has it.
func (r *ResourceBody) First(name string) bool {
	first, rest, _ := strings.Cut(fold(r.Name), " ")
	return rest != "" && first == fold(name)
}

func (*ResourceBody) facets() facets {
	return facets{
		owns:    true,
		kind:    Resource,
		prefix:  "res",
		word:    "resource",
		section: "RESOURCES",
		weight:  4,
		merged:  true,
		named:   "name",
		form: []Input{
			{Name: "name"}, {Name: "role"}, {Name: "email"}, {Name: "capacity"}, {Name: "availability"}, {Name: "away"}, {Name: "skills"}, {Name: "aliases"},
		},
		asked: Asked{
			Of: "name:~%s", Columns: []string{"name", "role", "skills"}, Values: []string{"skills"},
		},
	}
}

func (r *ResourceBody) line(_ string) string {
	return fmt.Sprintf("%s role=%s capacity=%s availability=%s%s", r.Name, r.Role, num(*r.Capacity), num(*r.Availability), opt(" skills=", strings.Join(r.Skills, ",")))
}
