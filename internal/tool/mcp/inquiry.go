package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"chela/internal/fault"
	"chela/internal/form"
	"chela/internal/mcp"
	"chela/internal/tool"
)

// mostForms is how often a server may ask during one call.
const mostForms = 3

// stateless is the first specification without sessions, whose servers ask by the result of a call.
const stateless = "2026-07-28"

// An inquiry is what a server may ask during one call, and what became of it.
type inquiry struct {
	ctx     context.Context //nolint:containedctx // of the call, which bounds what is asked during it
	server  string
	inquire tool.Inquire // nil when the run works for no person

	mu    sync.Mutex // guards the rest
	count int
	notes []string
}

// inquiryKey is where the context of a call has its inquiry.
type inquiryKey struct{}

// answering is as which client a server knows us: one whose people can be asked, where the owner allows it.
func (s *Servers) answering(h *host, server mcp.Server, as *sdk.ClientOptions) *sdk.ClientOptions {
	if !server.Elicitation {
		return as
	}
	as.ElicitationHandler = func(ctx context.Context, r *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
		q, _ := ctx.Value(inquiryKey{}).(*inquiry)
		if q == nil { // it asks over its session, on which one call is in hand
			s.mu.Lock()
			q = h.inquiry
			s.mu.Unlock()
		}
		if q == nil {
			return &sdk.ElicitResult{Action: "decline"}, nil
		}
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		defer context.AfterFunc(q.ctx, cancel)()
		return q.put(ctx, r.Params), nil
	}
	return as
}

// asking makes a call during which the server may ask. On a session that all agents have, such calls are made one after the other, so
// that a question belongs to the one in hand.
func (s *Servers) asking(ctx context.Context, h *host, session *sdk.ClientSession, q *inquiry, do func(context.Context, *sdk.ClientSession) (*sdk.CallToolResult, error)) (*sdk.CallToolResult, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	q.ctx = ctx
	if of := session.InitializeResult(); of == nil || of.ProtocolVersion < stateless {
		select {
		case h.lane <- struct{}{}:
			defer func() { <-h.lane }()
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		s.mu.Lock()
		h.inquiry = q
		s.mu.Unlock()
		defer func() {
			s.mu.Lock()
			h.inquiry = nil
			s.mu.Unlock()
		}()
	}
	return do(context.WithValue(ctx, inquiryKey{}, q), session)
}

// put has the person of the run answer a question of the server. What is not put to them is declined, and noted for the call.
func (q *inquiry) put(ctx context.Context, p *sdk.ElicitParams) *sdk.ElicitResult {
	decline := &sdk.ElicitResult{Action: "decline"}
	q.mu.Lock()
	q.count++
	n := q.count
	q.mu.Unlock()
	switch {
	case n > mostForms:
		q.note(fmt.Sprintf("It asked more than %d times during the call.", mostForms))
		return decline
	case q.inquire == nil:
		q.note("The run works for no person who could be asked.")
		return decline
	}
	f, err := read(p)
	if err != nil {
		q.note(fault.TextOf(err))
		return decline
	}
	got, err := q.inquire(ctx, tool.Inquiry{Server: q.server, Form: f})
	if err != nil {
		return &sdk.ElicitResult{Action: "cancel"}
	}
	if got.Why != "" {
		q.note(got.Why)
	}
	out := &sdk.ElicitResult{Action: got.Action}
	if got.Action == "accept" {
		if err := json.Unmarshal(got.Values, &out.Content); err != nil {
			return &sdk.ElicitResult{Action: "cancel"}
		}
	}
	return out
}

// read reads the form of a question. Addresses that a person would have to open are not taken.
func read(p *sdk.ElicitParams) (f form.Form, err error) {
	if p == nil || p.URL != "" || p.Mode != "" && p.Mode != "form" {
		return f, fault.New(fault.Invalid, "It wants a person to open an address, which it may not.")
	}
	var raw json.RawMessage
	if p.RequestedSchema != nil {
		if raw, err = json.Marshal(p.RequestedSchema); err != nil {
			return f, fault.New(fault.Invalid, "The form's schema is no JSON.")
		}
	}
	return form.Read(p.Message, raw)
}

// note notes once why something was not asked or answered.
func (q *inquiry) note(why string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if !slices.Contains(q.notes, why) {
		q.notes = append(q.notes, why)
	}
}

// told is what is said of the questions of a call with its result; "" when all were answered.
func (q *inquiry) told() string {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.notes) == 0 {
		return ""
	}
	return "\n[The server asked something that was not answered. " + strings.Join(q.notes, " ") + "]"
}
