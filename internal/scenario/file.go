package scenario

import (
	"cmp"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/model/scripted"
)

// A File is one scenario. The first version of the format knows only what people say and
// what agents reply; the second has everything.
type File struct {
	SchemaVersion int      `json:"schemaVersion"`
	Project       string   `json:"projectName"`
	Description   string   `json:"description,omitempty"`
	Defaults      Defaults `json:"defaults,omitzero"`
	Steps         []Step   `json:"steps"`
}

// Defaults hold for every step.
type Defaults struct {
	MaxWaitMS           int    `json:"maxWaitMs,omitempty"` // how long a step may take; 60000 when not said
	StartAt             string `json:"startAt,omitempty"`   // what the clock shows at first; 2026-01-05T09:00:00Z when not said
	RequireCheckerPass  *bool  `json:"requireCheckerPass,omitempty"`
	RequireEveryReply   bool   `json:"requireEveryReply,omitempty"`   // agents say only what the step gives them
	ApprovalsAreRefused bool   `json:"approvalsAreRefused,omitempty"` // instead of allowed
}

// A Step says, takes in, or calls something, and checks what came of it.
type Step struct {
	Name        string           `json:"name,omitempty"`
	Description string           `json:"description,omitempty"`
	Type        string           `json:"type,omitempty"` // seed, upload, pipeline, ask; else a conversation
	UserQuery   string           `json:"userQuery,omitempty"`
	Agent       string           `json:"agent,omitempty"` // spoken to directly
	Content     string           `json:"pipelineContent,omitempty"`
	Paths       []string         `json:"filePaths,omitempty"`
	Uploads     []string         `json:"uploadFiles,omitempty"`
	Seeds       []Seed           `json:"seedActions,omitempty"`
	Replies     []scripted.Reply `json:"agentResponses,omitempty"`
	Mocks       []ToolMock       `json:"toolMocks,omitempty"`
	Approve     string           `json:"approve,omitempty"` // the choice of the scenario's actor; the first that allows when empty
	Expects     *Expects         `json:"expects,omitempty"`
}

// A Seed is one call of the API.
type Seed struct {
	Method  string            `json:"method,omitempty"` // POST when left out
	URL     string            `json:"url"`
	Body    json.RawMessage   `json:"body,omitempty"`
	Capture map[string]string `json:"capture,omitempty"` // names for what lies at a path of the answer
}

// Expects are what must hold after a step.
type Expects struct {
	Status      string         `json:"sessionStatus,omitempty"`
	RunState    string         `json:"runState,omitempty"`
	Reply       string         `json:"replyMatches,omitempty"` // a regular expression
	Events      *Events        `json:"events,omitempty"`
	InOrder     []string       `json:"eventsInOrder,omitempty"` // one after the other, others between them
	Mongo       []RecordCheck  `json:"mongo,omitempty"`         // as the format was written first
	Records     []RecordCheck  `json:"records,omitempty"`
	Differences map[string]int `json:"differences,omitempty"` // how many records of a kind the step added or took
	Messages    *MessageCheck  `json:"messages,omitempty"`
	HTTP        []HTTPCheck    `json:"http,omitempty"`
}

// Events are what the step wrote into the log.
type Events struct {
	Contains []string       `json:"containsTypes,omitempty"`
	Absent   []string       `json:"absentTypes,omitempty"`
	Min      map[string]int `json:"minCounts,omitempty"`
	Counts   map[string]int `json:"counts,omitempty"` // exactly
}

// A RecordCheck looks at the records of a collection that fit a filter.
type RecordCheck struct {
	Collection string                     `json:"collection"`
	Filter     map[string]json.RawMessage `json:"filter,omitempty"`
	Assert     Assert                     `json:"assert"`
}

// An Assert is about the records found; the first that is given counts.
type Assert struct {
	Eq      *int   `json:"countEq,omitempty"`
	Gte     *int   `json:"countGte,omitempty"`
	Lte     *int   `json:"countLte,omitempty"`
	Exists  *bool  `json:"exists,omitempty"`
	Field   string `json:"anyMatchField,omitempty"`
	Pattern string `json:"anyMatchPattern,omitempty"`
}

// A MessageCheck looks at what agents said in the conversation.
type MessageCheck struct {
	LastContains string `json:"lastAssistantContains,omitempty"`
	LastMatches  string `json:"lastAssistantMatches,omitempty"`
	AnyContains  string `json:"anyAssistantContains,omitempty"`
}

// An HTTPCheck calls an address and looks at the answer.
type HTTPCheck struct {
	Method   string            `json:"method,omitempty"` // GET when left out
	URL      string            `json:"url"`
	Status   int               `json:"expectedStatus,omitempty"` // any that is fine when left out
	Contains string            `json:"bodyContains,omitempty"`
	Matches  string            `json:"bodyMatches,omitempty"`
	Path     string            `json:"jsonPath,omitempty"` // $.a.b, $[0].a, $[*].a
	Equals   json.RawMessage   `json:"jsonPathEquals,omitempty"`
	Holds    string            `json:"jsonPathContains,omitempty"`
	MinSize  *int              `json:"jsonArrayMinSize,omitempty"`
	MinTotal int               `json:"minTotal,omitempty"` // of a list
	Total    *int              `json:"total,omitempty"`
	Capture  map[string]string `json:"capture,omitempty"`
}

// Read reads a scenario strictly: what it does not know it refuses, with the place.
func Read(raw []byte) (File, error) {
	var f File
	if err := event.DecodeStrict(raw, &f); err != nil {
		return f, placed(raw, err)
	}
	if f.SchemaVersion == 0 {
		f.SchemaVersion = 1
	}
	if f.SchemaVersion > 2 || f.SchemaVersion < 0 {
		return f, fault.BadField("schemaVersion", "The version is not known.", "1", "2")
	}
	if len(f.Steps) == 0 {
		return f, fault.BadField("steps", "A scenario has steps.")
	}
	if _, err := f.start(); err != nil {
		return f, fault.BadField("defaults.startAt", "It is no instant, such as 2026-01-05T09:00:00Z.")
	}
	for i, s := range f.Steps {
		if f.SchemaVersion == 1 && !s.plain() {
			return f, fault.BadField(fmt.Sprintf("steps.%d", i), "Version 1 has only userQuery, description and agentResponses; say \"schemaVersion\": 2.")
		}
		if err := s.check(fmt.Sprintf("steps.%d", i)); err != nil {
			return f, err
		}
	}
	return f, nil
}

// placed says in which step the mistake is.
func placed(raw []byte, whole error) error {
	var parts struct {
		Steps []json.RawMessage `json:"steps"`
	}
	if json.Unmarshal(raw, &parts) != nil {
		return whole
	}
	for i, step := range parts.Steps {
		var s Step
		if err := event.DecodeStrict(step, &s); err != nil {
			return fault.Wrap(err, fault.Invalid, "steps.%d.%s", i, fault.TextOf(err))
		}
	}
	return whole
}

// plain reports whether a step has only what version 1 has.
func (s Step) plain() bool {
	return s.Name+s.Type+s.Agent+s.Content+s.Approve == "" && len(s.Paths)+len(s.Uploads)+len(s.Seeds)+len(s.Mocks) == 0 && s.Expects == nil
}

// check reports what a step lacks or names that is not there.
func (s Step) check(place string) error {
	switch s.Type {
	case "seed":
		if len(s.Seeds) == 0 && s.Expects == nil {
			return fault.BadField(place+".seedActions", "A seed step calls something, or expects something.")
		}
	case "upload":
		if len(s.Uploads) == 0 {
			return fault.BadField(place+".uploadFiles", "An upload step names files.")
		}
	case "pipeline":
		if s.Content == "" && s.UserQuery == "" && len(s.Paths) == 0 {
			return fault.BadField(place+".pipelineContent", "A pipeline step has content or files.")
		}
	default:
		if s.UserQuery == "" {
			return fault.BadField(place+".userQuery", "A conversation step says something; other steps have the type seed, upload, pipeline or ask.")
		}
	}
	for i, a := range s.Seeds {
		if !strings.HasPrefix(a.URL, "/") {
			return fault.BadField(fmt.Sprintf("%s.seedActions.%d.url", place, i), "An address begins with a slash, such as /api/projects/{{projectId}}/tickets.")
		}
	}
	for i, r := range s.Replies {
		if r.Agent == "" {
			return fault.BadField(fmt.Sprintf("%s.agentResponses.%d.agentName", place, i), "A reply names its agent.")
		}
	}
	for i, m := range s.Mocks {
		if err := m.check(fmt.Sprintf("%s.toolMocks.%d", place, i)); err != nil {
			return err
		}
	}
	if s.Expects == nil {
		return nil
	}
	return s.Expects.check(place + ".expects")
}

// check refuses names of events and collections that mean nothing here.
func (e Expects) check(place string) error {
	var types []string
	types = append(types, e.InOrder...)
	if e.Events != nil {
		types = append(append(types, e.Events.Contains...), e.Events.Absent...)
		for t := range e.Events.Min {
			types = append(types, t)
		}
		for t := range e.Events.Counts {
			types = append(types, t)
		}
	}
	for _, t := range types {
		if _, ok := eventsNamed(t); !ok {
			return fault.BadField(place+".events", "There are no events of the type "+t+"; ours are written such as desk.ticket.created, and `chela log export -` shows those of a log.")
		}
	}
	for _, c := range append(append([]RecordCheck(nil), e.Mongo...), e.Records...) {
		if _, ok := collectionNamed(c.Collection); !ok {
			return fault.BadField(place+".collection", "There is no collection "+c.Collection+".", collectionNames()...)
		}
		if a := c.Assert; a.Eq == nil && a.Gte == nil && a.Lte == nil && a.Exists == nil && (a.Field == "" || a.Pattern == "") {
			return fault.BadField(place+".assert", "It says nothing to check.", "countEq", "countGte", "countLte", "exists", "anyMatchField and anyMatchPattern")
		}
	}
	for k := range e.Differences {
		if c, ok := collectionNamed(k); !ok || c.Kind == "" {
			return fault.BadField(place+".differences", "There are no records of the kind "+k+".")
		}
	}
	if e.Status != "" {
		if _, ok := states[e.Status]; !ok {
			return fault.BadField(place+".sessionStatus", "The status "+e.Status+" is not known.", "COMPLETED", "FAILED", "RUNNING", "PAUSED", "IDLE")
		}
	}
	return nil
}

// start is what the clock shows at first.
func (f File) start() (time.Time, error) {
	return time.Parse(time.RFC3339, cmp.Or(f.Defaults.StartAt, "2026-01-05T09:00:00Z"))
}

// title is what a file's project is called when it does not say.
func (f File) title(name string) string {
	if strings.TrimSpace(f.Project) != "" {
		return f.Project
	}
	return strings.TrimSuffix(filepath.Base(name), filepath.Ext(name))
}
