package org

import (
	"fmt"
	"slices"
	"time"

	"chela/internal/event"
	"chela/internal/fault"
)

// A Status is how an agent is doing; the protocol's words.
type Status string

// The statuses.
const (
	Online   Status = "online"
	Offline  Status = "offline"
	Busy     Status = "busy"
	Degraded Status = "degraded"
)

// Statuses lists all statuses.
func Statuses() []string {
	return []string{string(Online), string(Offline), string(Busy), string(Degraded)}
}

// The protocol's facts about agents.
var (
	RegisterKind  = event.Kind[Registration]{Name: event.AgentRegister}
	UpdateKind    = event.Kind[Update]{Name: event.AgentUpdate}
	HeartbeatKind = event.Kind[Heartbeat]{Name: event.AgentHeartbeat}
	// RemovedKind is ours: the protocol has no word for it.
	RemovedKind = event.Kind[Removed]{Name: "org.agent.removed", PayloadType: "org.agent.removed.v1"}
)

// Removed is the payload of org.agent.removed: the agent does not exist any more.
type Removed struct {
	AgentID AgentID `json:"agent_id"`
}

// A Registration is the payload of agent.register.
type Registration struct {
	Card    Card     `json:"card"`
	Status  Status   `json:"status,omitempty"`  // empty: online
	Profile *Profile `json:"profile,omitempty"` // of agents that run inside
}

// An Update is the payload of agent.update: the agent as it is from now on. Card and
// Profile are whole, not patches, so that every version can be read from its event
// alone; [Patch] makes them from what a person changed. What is left out stays.
type Update struct {
	AgentID AgentID  `json:"agent_id"`
	Card    *Card    `json:"card,omitempty"`
	Profile *Profile `json:"profile,omitempty"`
	Status  Status   `json:"status,omitempty"`
	Reason  string   `json:"reason,omitempty"`
}

// Check reports the first thing wrong with u: a bad card or status, or a card of
// somebody else, by which one agent would change another.
func (u Update) Check() error {
	if u.Card != nil {
		if u.Card.AgentID != u.AgentID {
			return fault.BadField("card.agent_id", "An update is about one agent; its card names "+string(u.Card.AgentID)+".")
		}
		if err := u.Card.Check(); err != nil {
			return err
		}
		if u.Profile != nil {
			if err := (Agent{Card: *u.Card, Profile: *u.Profile}).Check(); err != nil {
				return err
			}
		}
	}
	if u.Status != "" {
		return u.Status.Check()
	}
	return u.AgentID.Check()
}

// A Heartbeat is the payload of agent.heartbeat.
type Heartbeat struct {
	Status       Status  `json:"status"`
	CurrentTasks int     `json:"current_tasks"`
	Metrics      Metrics `json:"metrics"`
}

// Metrics sum what an agent has done.
type Metrics struct {
	TasksCompleted int     `json:"tasks_completed"`
	TasksFailed    int     `json:"tasks_failed"`
	AvgRuntimeMS   int     `json:"avg_runtime_ms"`
	TotalCost      float64 `json:"total_cost"`
}

// Check reports the first field of h that the protocol does not allow.
func (h Heartbeat) Check() error {
	if err := h.Status.Check(); err != nil {
		return err
	}
	m := h.Metrics
	switch {
	case h.CurrentTasks < 0:
		return fault.BadField("current_tasks", "A count is not negative.")
	case m.TasksCompleted < 0 || m.TasksFailed < 0 || m.AvgRuntimeMS < 0 || !amount(m.TotalCost):
		return fault.BadField("metrics", "Counts, times and costs are not negative.")
	}
	return nil
}

// Check reports whether s is a status.
func (s Status) Check() error {
	if !slices.Contains(Statuses(), string(s)) {
		return fault.BadField("status", "The status is not known.", Statuses()...)
	}
	return nil
}

// A Member is an agent as the log tells of it.
type Member struct {
	Agent
	Status Status     `json:"status"`
	SeenAt time.Time  `json:"seen_at"` // of its last fact
	Beat   *Heartbeat `json:"heartbeat,omitempty"`
}

// Apply returns m after e. A fact about another agent, or about something else,
// changes nothing. The zero Member is one that nobody has registered.
func Apply(m Member, e event.Event) (Member, error) {
	switch e.Message.Type {
	case event.AgentRegister:
		p, _, err := RegisterKind.Open(e)
		if err != nil {
			return m, fmt.Errorf("read %s: %w", e.Message.Type, err)
		}
		if m.Card.AgentID != "" && m.Card.AgentID != p.Card.AgentID {
			return m, nil
		}
		next := Member{Agent: p.Agent(m.Agent), Status: Online, SeenAt: e.At, Beat: m.Beat}
		if p.Status != "" {
			next.Status = p.Status
		}
		return next, nil
	case event.AgentUpdate:
		p, _, err := UpdateKind.Open(e)
		if err != nil {
			return m, fmt.Errorf("read %s: %w", e.Message.Type, err)
		}
		if m.Card.AgentID == "" || m.Card.AgentID != p.AgentID {
			return m, nil
		}
		return p.apply(m, e.At), nil
	case RemovedKind.Name:
		p, _, err := RemovedKind.Open(e)
		if err != nil {
			return m, fmt.Errorf("read %s: %w", e.Message.Type, err)
		}
		if m.Card.AgentID == p.AgentID {
			return Member{}, nil
		}
	case event.AgentHeartbeat:
		p, _, err := HeartbeatKind.Open(e)
		if err != nil {
			return m, fmt.Errorf("read %s: %w", e.Message.Type, err)
		}
		if m.Card.AgentID == "" || m.Card.AgentID != AgentOf(e.Message.From) {
			return m, nil
		}
		m.SeenAt, m.Beat = e.At, &p
		if p.Status != "" {
			m.Status = p.Status
		}
	}
	return m, nil
}

func (u Update) apply(m Member, at time.Time) Member {
	if u.Card != nil {
		m.Card = *u.Card
		m.Card.AgentID = u.AgentID // nobody becomes somebody else
	}
	if u.Profile != nil {
		m.Profile = *u.Profile
	}
	if u.Status != "" {
		m.Status = u.Status
	}
	m.SeenAt = at
	return m
}

// Agent returns the agent that a registration tells of, which was another before; the zero Agent is none. One that works elsewhere says
// nothing but its card: it is a specialist without tools of ours, and one that registers again is reached as it was.
func (r Registration) Agent(was Agent) Agent {
	switch {
	case r.Profile != nil:
		return Agent{Card: r.Card, Profile: *r.Profile}
	case was.Outside() && r.Card.Endpoints != nil:
		return Agent{Card: r.Card, Profile: was.Profile}
	}
	return Agent{Card: r.Card, Profile: Profile{Kind: Specialist, Prompt: "outside", Tools: []string{}, Enabled: true}}
}
