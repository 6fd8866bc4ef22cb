package library

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"chela/internal/definition"
	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/run"
)

// The facts of payload types: a revision of a schema is registered, or the newest is taken back.
var (
	RegisteredKind   = event.Kind[Registered]{Name: "workflow.payload_registered", PayloadType: "workflow.payload.v1"}
	UnregisteredKind = event.Kind[Registered]{Name: "workflow.payload_taken_back", PayloadType: "workflow.payload.v1"}
)

// Registered records a revision of the schema of a payload type.
type Registered struct {
	Name     string          `json:"name"` // invoice.total.v1
	Revision int             `json:"revision"`
	Schema   json.RawMessage `json:"schema,omitempty"`
	Note     string          `json:"note,omitempty"`
}

// A Payload is a payload type with the newest revision of its schema.
type Payload struct {
	Registered
	Comes bool      `json:"comes,omitempty" doc:"it comes with Chela, and stays as it is"`
	By    string    `json:"by,omitempty"`
	At    time.Time `json:"at,omitzero"`
}

// Payloads reads the organization's own payload types.
type Payloads interface {
	// Types finds their schemas, for as long as ctx lasts.
	Types(ctx context.Context) definition.OwnTypes
	// Payloads returns the newest revision of each, by name.
	Payloads(ctx context.Context) ([]Payload, error)
	// Revisions returns the revisions of one, the newest first; none when there is no such type.
	Revisions(ctx context.Context, name string) ([]Payload, error)
	// Playing returns the versions that are deployed, and those that instances play that have not ended.
	Playing(ctx context.Context) ([]Version, error)
}

// Limits of payload types.
const (
	mostSchema = 64 << 10 // bytes of one
	mostTypes  = 500
)

// PayloadTypes lists all payload types: those that come with Chela, and the organization's own.
func (l *Library) PayloadTypes(ctx context.Context) ([]Payload, error) {
	own, err := l.store.Payloads(ctx)
	if err != nil {
		return nil, err
	}
	var out []Payload
	for _, name := range definition.Payloads() {
		p, err := coming(name)
		if err != nil {
			return nil, err
		}
		out = append(out, p)
	}
	out = append(out, own...)
	slices.SortFunc(out, func(a, b Payload) int { return strings.Compare(a.Name, b.Name) })
	return out, nil
}

func coming(name string) (Payload, error) {
	schema, ok := definition.Payload(name)
	if !ok {
		return Payload{}, fault.New(fault.NotFound, "There is no payload type %s.", name)
	}
	raw, err := json.Marshal(schema)
	if err != nil {
		return Payload{}, fmt.Errorf("encode the schema of %s: %w", name, err)
	}
	return Payload{Registered: Registered{Name: name, Revision: 1, Schema: raw}, Comes: true}, nil
}

// PayloadType returns the revisions of a payload type, the newest first, and which deployed or playing versions
// expect it, as "weekly-report 3".
func (l *Library) PayloadType(ctx context.Context, name string) (revisions []Payload, usedBy []string, err error) {
	if revisions, err = l.store.Revisions(ctx, name); err != nil {
		return nil, nil, err
	}
	if len(revisions) == 0 {
		p, err := coming(name)
		if err != nil {
			return nil, nil, err
		}
		revisions = []Payload{p}
	}
	usedBy, err = l.expecting(ctx, name)
	return revisions, usedBy, err
}

// expecting are the versions that are deployed or played and expect a payload type.
func (l *Library) expecting(ctx context.Context, name string) ([]string, error) {
	all, err := l.store.Playing(ctx)
	if err != nil {
		return nil, err
	}
	out := []string{}
	for _, v := range all {
		f, problems := definition.Parse([]byte(v.Source))
		if problems == nil && slices.Contains(definition.Expected(f), name) {
			out = append(out, fmt.Sprintf("%s %d", v.Slug, v.Number))
		}
	}
	return out, nil
}

// Register keeps a schema as the next revision of a payload type. One that breaks workflows which expect the type is
// a fault.Conflict that names them. The same schema again changes nothing.
func (l *Library) Register(ctx context.Context, by event.Party, name string, schema json.RawMessage, note string) (Payload, error) {
	next, err := readSchema(name, schema)
	if err != nil {
		return Payload{}, err
	}
	err = l.payload(ctx, by, name, func(was Payload, ok bool) (event.Kind[Registered], Registered, error) {
		now := Registered{Name: name, Revision: was.Revision + 1, Schema: schema, Note: note}
		if !ok {
			all, err := l.store.Payloads(ctx)
			if err == nil && len(all) >= mostTypes {
				err = fault.New(fault.TooLarge, "There are %d payload types, which is as many as there may be. Take back one that nobody expects.", len(all))
			}
			return RegisteredKind, now, err
		}
		if same(was.Schema, schema) {
			return RegisteredKind, Registered{}, nil
		}
		return RegisteredKind, now, l.fitting(ctx, name, was.Schema, next)
	})
	if err != nil {
		return Payload{}, err
	}
	return l.newest(ctx, name)
}

// TakeBack takes back the newest revision of a payload type: the one before it counts again. When workflows expect the
// type, that may not break them.
func (l *Library) TakeBack(ctx context.Context, by event.Party, name string) error {
	return l.payload(ctx, by, name, func(was Payload, ok bool) (event.Kind[Registered], Registered, error) {
		if !ok {
			return UnregisteredKind, Registered{}, fault.New(fault.NotFound, "There is no payload type %s of your own.", name)
		}
		revisions, err := l.store.Revisions(ctx, name)
		if err != nil {
			return UnregisteredKind, Registered{}, err
		}
		gone := Registered{Name: name, Revision: was.Revision}
		if len(revisions) > 1 {
			before, err := readSchema(name, revisions[1].Schema)
			if err == nil {
				err = l.fitting(ctx, name, was.Schema, before)
			}
			return UnregisteredKind, gone, err
		}
		users, err := l.expecting(ctx, name)
		if err == nil && len(users) > 0 {
			err = fault.New(fault.Conflict, "The payload type %s is expected by %s. Deploy versions that expect another one first.", name, strings.Join(users, ", "))
		}
		return UnregisteredKind, gone, err
	})
}

// payload records what plan says of a payload type as it stands.
func (l *Library) payload(ctx context.Context, by event.Party, name string, plan func(was Payload, ok bool) (event.Kind[Registered], Registered, error)) error {
	return l.write(ctx, func(b *run.Batch, tx Tx) error {
		b.Hold(event.OrgStream)
		was, ok, err := tx.Payload(name)
		if err != nil {
			return err
		}
		kind, now, err := plan(was, ok)
		if err != nil || now.Name == "" {
			return err
		}
		_, err = b.Append(kind.Draft(l.place(by), now))
		return err
	})
}

// fitting refuses a schema that breaks those who expect the one before it.
func (l *Library) fitting(ctx context.Context, name string, before json.RawMessage, after map[string]any) error {
	was, err := readSchema(name, before)
	if err != nil {
		return err
	}
	broken := definition.Breaks(was, after)
	if len(broken) == 0 {
		return nil
	}
	users, err := l.expecting(ctx, name)
	if err != nil || len(users) == 0 {
		return err
	}
	return fault.New(fault.Conflict, "This would break %s, which expect %s: %s Register it as %s, or deploy versions that expect another type first.",
		strings.Join(users, ", "), name, strings.Join(broken, " "), following(name))
}

// following is the name of the next version of a payload type.
func following(name string) string {
	cut := strings.LastIndex(name, ".v")
	n := 0
	if _, err := fmt.Sscanf(name[cut+2:], "%d", &n); err != nil {
		return name
	}
	return fmt.Sprintf("%s.v%d", name[:cut], n+1)
}

// newest is a payload type as it stands.
func (l *Library) newest(ctx context.Context, name string) (Payload, error) {
	all, err := l.store.Revisions(ctx, name)
	if err != nil || len(all) == 0 {
		return Payload{}, errors.Join(err, fault.New(fault.NotFound, "There is no payload type %s.", name))
	}
	return all[0], nil
}

// readSchema reads the schema of a payload type that may have that name.
func readSchema(name string, raw json.RawMessage) (map[string]any, error) {
	switch _, comes := definition.Payload(name); {
	case !definition.ValidPayloadType(name):
		return nil, fault.BadField("name", "That is no payload type; write one such as invoice.total.v1.")
	case comes:
		return nil, fault.New(fault.Conflict, "The payload type %s comes with Chela and stays as it is. Register one of your own, such as %s.", name, following(name))
	case len(raw) > mostSchema:
		return nil, fault.New(fault.TooLarge, "The schema has %d bytes; it may have %d.", len(raw), mostSchema)
	}
	v, err := definition.Read(raw)
	if err != nil {
		return nil, fault.BadField("schema", "It is no JSON: "+err.Error())
	}
	m, _ := v.(map[string]any)
	if m["type"] != "object" {
		return nil, fault.BadField("schema", `A payload is an object: its schema has "type": "object".`)
	}
	if _, err := definition.CompileSchema(v); err != nil {
		return nil, fault.BadField("schema", sentence(err.Error()))
	}
	return m, nil
}

// same reports whether two schemas say the same.
func same(a, b json.RawMessage) bool {
	x, errA := event.Canonical(a)
	y, errB := event.Canonical(b)
	return errA == nil && errB == nil && string(x) == string(y)
}
