package router

import (
	"slices"
	"time"

	"chela/internal/event"
	"chela/internal/run"
)

// A State is where one person stands with the router in one conversation.
type State string

// The states, those of sessions in systems that route messages to workflows.
const (
	Idle      State = "idle"
	Routing   State = "routing"   // a message is looked at
	Planning  State = "planning"  // an instance is about to begin
	Executing State = "executing" // an instance is played
	Paused    State = "paused"    // the instance is paused
	Completed State = "completed" // the instance ended well
	Failed    State = "error"     // it ended in another way
)

// States lists them.
func States() []State {
	return []State{Idle, Routing, Planning, Executing, Paused, Completed, Failed}
}

// moves are the legal moves. A message is looked at in every state but those in which the router itself
// is at work; afterwards a plan that is still played goes on.
var moves = map[State][]State{ //nolint:gochecknoglobals // a table
	Idle:      {Routing},
	Routing:   {Idle, Planning, Executing, Paused, Completed, Failed},
	Planning:  {Executing, Failed},
	Executing: {Routing, Paused, Completed, Failed},
	Paused:    {Routing, Executing, Completed, Failed},
	Completed: {Routing},
	Failed:    {Routing},
}

// CanBecome reports whether a session in state s may go to next.
func (s State) CanBecome(next State) bool { return slices.Contains(moves[s], next) }

// A Session is where one person stands with the router in one conversation.
type Session struct {
	Thread    string     `json:"thread"`
	Person    string     `json:"person"`
	State     State      `json:"state" enum:"idle,routing,planning,executing,paused,completed,error"`
	Plan      *Plan      `json:"plan,omitempty"`
	Gathering *Gathering `json:"gathering,omitempty"`
	UpdatedAt time.Time  `json:"updated_at,omitzero"`
}

// A Plan is the instance that a message began last.
type Plan struct {
	ID        string            `json:"id" doc:"the workflow and its version, such as weekly-report@3"`
	Slug      string            `json:"slug"`
	Version   int               `json:"version"`
	Name      string            `json:"name"`
	Run       run.ID            `json:"run,omitempty"`
	Step      string            `json:"step,omitempty" doc:"the step that began last"`
	Variables map[string]string `json:"variables,omitempty" doc:"the inputs as text"`
	State     State             `json:"state"` // of the instance itself
}

// A Gathering is what is known of a workflow's inputs so far, and what is still asked.
type Gathering struct {
	Slug       string           `json:"slug"`
	Version    int              `json:"version"`
	Name       string           `json:"name"`
	Confidence float64          `json:"confidence"`
	Confirming bool             `json:"confirming,omitempty"` // it is not certain yet that it is wanted
	Rounds     int              `json:"rounds"`               // how often it was asked
	Values     map[string]Value `json:"values,omitempty"`
	Asked      []string         `json:"asked,omitempty"` // inputs that were asked for last
	Heard      []Heard          `json:"heard,omitempty"` // messages that were taken in, the first asked for the workflow
}

// A Heard is a message that was taken in, with what it said then.
type Heard struct {
	ID    string   `json:"id"`
	Text  string   `json:"text"`
	Asked []string `json:"asked,omitempty"` // what had been asked for before it
}

// A Value is an input that was found.
type Value struct {
	Value   any    `json:"value"`
	Name    string `json:"name,omitempty"`    // what people call it, where the value is an id
	Message string `json:"message,omitempty"` // that said it
	How     string `json:"how"`               // by which rule, or by the model
}

// The facts of this package. They lie in the conversation's stream.
var (
	DecidedKind = event.Kind[Decided]{Name: "router.decided", PayloadType: "router.decided.v1"}
	ChangedKind = event.Kind[Changed]{Name: "router.changed", PayloadType: "router.changed.v1"}
	// PlanMovedKind records how an instance stands that a message began.
	PlanMovedKind = event.Kind[PlanMoved]{Name: "router.plan", PayloadType: "router.plan.v1"}
)

// PlanMoved says where an instance stands, and which step began last.
type PlanMoved struct {
	Run   run.ID `json:"run"`
	State State  `json:"state"`
	Step  string `json:"step,omitempty"`
}

// Over reports whether nothing follows the state of a plan.
func (s State) Over() bool { return s == Completed || s == Failed }

// Changed records a move of a session.
type Changed struct {
	From    State   `json:"from"`
	Session Session `json:"session"`
}

// move is s in another state. What is illegal is a mistake of ours.
func (s Session) move(next State) (Session, Changed) {
	if s.State == "" {
		s.State = Idle
	}
	if !s.State.CanBecome(next) {
		panic("router: a session that is " + string(s.State) + " cannot become " + string(next))
	}
	c := Changed{From: s.State}
	s.State = next
	c.Session = s
	return s, c
}

// after is the state to which a session goes back when a message began nothing.
func (s Session) after() State {
	if s.Plan == nil {
		return Idle
	}
	return s.Plan.State
}
