// Package demo holds the demo project: minutes, a tracker's export, people, and the
// script that plays the models in it. All of it is made up.
package demo

import _ "embed"

// The demo's documents.
var (
	//go:embed minutes.md
	Minutes []byte
	//go:embed tickets.csv
	Tickets []byte
	//go:embed people.json
	People []byte
	//go:embed script.json
	Script []byte
)

// Project is the demo project's name.
const Project = "Payments"

// Question is what the demo asks.
const Question = "Which developer has the most capacity?"
