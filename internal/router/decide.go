package router

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"chela/internal/definition"
	"chela/internal/event"
	"chela/internal/intent"
	"chela/internal/run"
)

// Thresholds of confidence.
const (
	Certain     = 0.75 // from here a workflow begins when its inputs are known
	CertainCode = 0.9  // the same when no model was asked
	Likely      = 0.40 // from here its sender is asked whether it is meant
	Near        = 0.15 // from here a model is asked
)

// MostRounds is how often somebody is asked for the inputs of a workflow.
const MostRounds = 10

// A Kind says what becomes of a message.
type Kind string

// The kinds of decisions.
const (
	Direct    Kind = "direct"    // it is answered
	Clarify   Kind = "clarify"   // its sender is asked for inputs
	Confirm   Kind = "confirm"   // its sender is asked whether a workflow is meant
	Trigger   Kind = "trigger"   // a workflow begins
	Cancelled Kind = "cancelled" // what was gathered is dropped, or what runs is cancelled
)

// A Decision says what becomes of a message, and why.
type Decision struct {
	Kind       Kind             `json:"kind" enum:"direct,clarify,confirm,trigger,cancelled"`
	Slug       string           `json:"slug,omitempty"`
	Version    int              `json:"version,omitempty"`
	Name       string           `json:"name,omitempty"`
	Confidence float64          `json:"confidence"`
	By         string           `json:"by" doc:"who decided: code, model, or person"`
	Shortlist  []intent.Match   `json:"shortlist,omitempty" doc:"what is near, the nearest first"`
	Inputs     map[string]Value `json:"inputs,omitempty"`
	Missing    []string         `json:"missing,omitempty"`
	Reason     string           `json:"reason" doc:"why, in a sentence"`
	Question   string           `json:"question,omitempty" doc:"what the sender is asked or told"`
}

// Explain says in sentences what was decided, and why.
func (d Decision) Explain() string {
	what := "The router had the message answered"
	switch d.Kind {
	case Clarify:
		what = "The router asked for what " + d.Name + " needs"
	case Confirm:
		what = "The router asked whether " + d.Name + " is meant"
	case Trigger:
		what = "The router began " + d.Name
	case Cancelled:
		what = "The router dropped " + d.Name
	case Direct:
	}
	return strings.TrimSpace(fmt.Sprintf("%s (confidence %.2f, decided by %s). %s", what, d.Confidence, d.By, strings.TrimSpace(d.Reason)))
}

// Decided records a decision about a message, with what is gathered from then on.
type Decided struct {
	Decision

	Message   string     `json:"message"` // its id
	Gathering *Gathering `json:"gathering,omitempty"`
	// Accepted names the message by which a workflow was asked for that now begins, Declined the one whose sender wanted
	// none. Both are learnt from.
	Accepted string `json:"accepted,omitempty"`
	Declined string `json:"declined,omitempty"`
	Cancels  run.ID `json:"cancels,omitempty"` // the instance that is cancelled
}

// Said is a message as it is decided about.
type Said struct {
	ID, Text string
	By       event.Party
	Facts    Facts
}

// opinion is which workflow is meant, as the code or a model thinks.
type opinion struct {
	slug       string
	confidence float64
	by         string
	inputs     map[string]any // that a model found
	reason     string
}

// certain is from where no confirmation is needed.
func (o opinion) certain() float64 {
	if o.by == byModel {
		return Certain
	}
	return CertainCode
}

const (
	byCode   = "code"
	byModel  = "model"
	byPerson = "person"
)

// first is the opinion of the shortlist alone.
func first(list []intent.Match) opinion {
	if len(list) == 0 {
		return opinion{by: byCode, reason: "Nothing that is deployed has anything in common with it."}
	}
	reason := strings.TrimSpace(fmt.Sprintf("It is most like “%s”. %s", short(list[0].Nearest), list[0].Unasked))
	return opinion{slug: list[0].ID, confidence: list[0].Confidence, by: byCode, reason: reason}
}

func short(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > 80 {
		return string(r[:79]) + "…"
	}
	return s
}

// fresh decides about a message of somebody from whom nothing is gathered.
func fresh(s Said, o opinion, w offered, list []intent.Match) Decided {
	d := Decided{Message: s.ID, Decision: Decision{Kind: Direct, Confidence: o.confidence, By: o.by, Shortlist: list, Reason: o.reason}}
	if o.slug == "" || o.confidence < Likely {
		d.Reason += fmt.Sprintf(" That is less than %.2f, so it is answered.", Likely)
		return d
	}
	g := &Gathering{Slug: w.Slug(), Version: w.Number, Name: w.Name(), Confidence: o.confidence, Confirming: o.confidence < o.certain(), Values: make(map[string]Value)}
	g.hear(s, w, nil)
	g.add(w, o.inputs, s.ID)
	return g.next(d, w)
}

// Slug and Name are the workflow's; both of its parts have them.
func (w offered) Slug() string { return w.Version.Slug }

// Name is what people call the workflow.
func (w offered) Name() string { return w.Compiled.Name }

// hear takes in a message that may hold inputs.
func (g *Gathering) hear(s Said, w offered, asked []string) {
	g.Heard = append(g.Heard, Heard{ID: s.ID, Text: s.Text, Asked: asked})
	g.take(s, w, asked)
}

func (g *Gathering) take(s Said, w offered, asked []string) (found int) {
	var of []definition.Input
	for _, in := range w.Inputs {
		if slices.Contains(asked, in.Name) {
			of = append(of, in)
		}
	}
	for name, v := range Extract(s.Text, w.Inputs, of, s.Facts) {
		old, known := g.Values[name]
		switch {
		case known && v.How == "conversation":
			continue // what was said stands
		case known && old.How != "conversation" && v.How != "label" && !slices.Contains(asked, name):
			continue // it is not corrected by the way
		}
		if v.How != "conversation" {
			found++
		}
		v.Message = s.ID
		g.Values[name] = v
	}
	return found
}

// add takes in what a model found, where no rule did.
func (g *Gathering) add(w offered, inputs map[string]any, message string) {
	for _, in := range w.Inputs {
		v, ok := inputs[in.Name]
		if _, known := g.Values[in.Name]; !ok || v == nil || v == "" || known && g.Values[in.Name].How != "conversation" {
			continue
		}
		if got, err := in.Take(definition.Settled(v)); err == nil {
			g.Values[in.Name] = Value{Value: got, Message: message, How: byModel}
		}
	}
}

// missing are the inputs that are still needed.
func (g *Gathering) missing(w offered) []string {
	var out []string
	for _, in := range w.Inputs {
		if _, ok := g.Values[in.Name]; !ok && in.Required && in.Default == nil {
			out = append(out, in.Name)
		}
	}
	return out
}

// next decides what follows from what is known.
func (g *Gathering) next(d Decided, w offered) Decided {
	d.Slug, d.Version, d.Name, d.Inputs, d.Missing = g.Slug, g.Version, g.Name, maps.Clone(g.Values), g.missing(w)
	switch {
	case g.Confirming:
		d.Kind, d.Question = Confirm, confirmation(w, g.Values, d.Missing)
		d.Reason += fmt.Sprintf(" %.2f is not enough to begin it unasked.", g.Confidence)
	case len(d.Missing) > 0:
		d.Kind, d.Question = Clarify, g.question(w, d.Missing)
		d.Reason += " Needed is " + strings.Join(d.Missing, ", ") + "."
	default:
		d.Kind, d.Accepted = Trigger, g.Heard[0].ID
		return d
	}
	if g.Rounds++; g.Rounds > MostRounds {
		d.Kind, d.Question = Cancelled, fmt.Sprintf("I asked %d times, so I leave **%s**. Ask for it again when you like.", MostRounds, w.Name())
		return d
	}
	g.Asked, d.Gathering = d.Missing, g
	return d
}

// question asks for inputs. Who was asked for the same before is told that it was not found, and how it is.
func (g *Gathering) question(w offered, missing []string) string {
	var b strings.Builder
	again := slices.Equal(missing, g.Asked)
	if again {
		fmt.Fprintf(&b, "I did not find %s in what you said. To run **%s** I still need:\n\n", strings.Join(missing, ", "), w.Name())
	} else {
		fmt.Fprintf(&b, "I can run **%s** for you, but I need a bit more info:\n\n", w.Name())
	}
	for _, in := range w.Inputs {
		if !slices.Contains(missing, in.Name) {
			continue
		}
		fmt.Fprintf(&b, "- **%s** (%s)", in.Name, in.Type)
		if in.Description != "" {
			fmt.Fprintf(&b, ": %s", in.Description)
		}
		if len(in.Enum) > 0 {
			var all []string
			for _, e := range in.Enum {
				all = append(all, definition.Text(e))
			}
			fmt.Fprintf(&b, " One of %s.", strings.Join(all, ", "))
		}
		b.WriteByte('\n')
	}
	b.WriteString("\nPlease provide the missing details")
	if again {
		fmt.Fprintf(&b, ", each in a line such as `%s: …`", missing[0])
	}
	b.WriteString(".")
	return b.String()
}

// confirmation asks whether a workflow is meant.
func confirmation(w offered, values map[string]Value, missing []string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Shall I run **%s**?", w.Name())
	if w.Description != "" {
		fmt.Fprintf(&b, " %s", w.Description)
	}
	b.WriteString(with(w, values))
	if len(missing) > 0 {
		fmt.Fprintf(&b, "\n\nI would ask you for %s then.", strings.Join(missing, ", "))
	}
	b.WriteString("\n\nAnswer yes or no.")
	return b.String()
}

// with lists values.
func with(w offered, values map[string]Value) string {
	var b strings.Builder
	for _, in := range w.Inputs {
		if v, ok := values[in.Name]; ok {
			if b.Len() == 0 {
				b.WriteByte('\n')
			}
			fmt.Fprintf(&b, "\n- **%s**: %s", in.Name, short(cmp.Or(v.Name, definition.Text(v.Value))))
		}
	}
	return b.String()
}
