// Package demo holds the demo project: minutes, a tracker's export, people, the story of six weeks, what its
// agents may do, and the script that plays the models in it. All of it is made up.
package demo

import (
	"embed"
	"time"

	"chela/internal/story"
)

// Files are the demo's documents. What they say of days is filled in by [story.Dated].
//
//go:embed minutes.md tickets.csv signoff.yaml
var Files embed.FS

var (
	//go:embed minutes.md
	minutes []byte
	//go:embed tickets.csv
	tickets []byte
)

// The rest of the demo.
var (
	//go:embed people.json
	People []byte
	//go:embed script.json
	Script []byte
	//go:embed story.json
	Story []byte
	//go:embed runbook.md
	Runbook []byte
	//go:embed policy.yaml
	Policy []byte
)

// Documents are what a team hands in.
type Documents struct{ Minutes, Tickets []byte }

// On returns the documents as they are on a day.
func On(day time.Time) Documents {
	return Documents{Minutes: story.Dated(minutes, day), Tickets: story.Dated(tickets, day)}
}

// Project is the demo project's name.
const Project = "Payments"

// Question is what the demo asks.
const Question = "Which developer has the most capacity?"
