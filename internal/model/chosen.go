package model

import (
	"slices"
	"strconv"
	"strings"

	"chela/internal/event"
	"chela/internal/fault"
)

// Chosen says which models are asked: of agents that name none, by what they are for, and
// in turn when one cannot answer.
type Chosen struct {
	Jobs     Jobs     `json:"jobs"`
	Failover []string `json:"failover"` // as provider/model
	Settings bool     `json:"-"`        // said while running, and not in chela.yaml
}

// ChosenKind records a choice that was made while running; the newest one holds, before what
// chela.yaml says.
var ChosenKind = event.Kind[Chosen]{Name: "model.chosen", PayloadType: "model.chosen.v1"}

// longestName bounds a model's name, in bytes, and mostFailover the list.
const (
	longestName  = 200
	mostFailover = 10
)

// check refuses what cannot be asked.
func (c Chosen) check(list []opened) error {
	for _, name := range []string{c.Jobs.Controller, c.Jobs.Specialist, c.Jobs.Checker, c.Jobs.Summary, c.Jobs.Transcription, c.Jobs.Embedding} {
		if len(name) > longestName || strings.ContainsAny(name, " \n\t") {
			return fault.BadField("jobs", "A model is named as provider/model, or as a model of the first provider; empty is that provider's own.")
		}
	}
	if len(c.Failover) > mostFailover {
		return fault.BadField("failover", "At most "+strconv.Itoa(mostFailover)+" models are asked in turn.")
	}
	where := " in chela.yaml"
	if c.Settings {
		where = ", which is to answer when another cannot,"
	}
	for i, name := range c.Failover {
		provider, rest, _ := strings.Cut(name, "/")
		if rest == "" || len(name) > longestName || !slices.ContainsFunc(list, func(o opened) bool { return o.Name == provider }) {
			return fault.BadField("failover", "The model "+name+where+" cannot be asked: write provider/model, and configure a provider of that name, or take it off the list.")
		}
		if slices.Contains(c.Failover[:i], name) {
			return fault.BadField("failover", "The model "+name+" is on the list twice.")
		}
	}
	return nil
}

// May refuses a choice that names what cannot be asked.
func (p *Providers) May(c Chosen) error { return c.check(*p.now.Load()) }

// Choose has these models be asked from now on.
func (p *Providers) Choose(c Chosen) error {
	if err := p.May(c); err != nil {
		return err
	}
	c.Failover = slices.Clone(c.Failover)
	p.chosen.Store(&c)
	return nil
}

// Chosen returns the choice that holds.
func (p *Providers) Chosen() Chosen {
	c := *p.chosen.Load()
	c.Failover = slices.Clone(c.Failover)
	return c
}
