package api

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/go-chi/chi/v5"

	"chela/internal/agent"
	"chela/internal/artifact"
	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/gateway"
	"chela/internal/org"
	"chela/internal/run"
)

func (a *api) systemRoutes() {
	route(a, http.MethodGet, "/health", "health", "Check whether the daemon works", "", func(ctx context.Context, _ *struct{}) (*Body[Health], error) {
		_, err := a.Store.Log.End(ctx)
		if err == nil {
			err = a.Store.Database.Writable()
		}
		return body(Health{Status: "ok", Database: a.Store.Database.Name()}, err)
	})
	route(a, http.MethodGet, "/version", "version", "Get the daemon's version", "", func(context.Context, *struct{}) (*Body[Version], error) {
		return body(Version{a.Version}, nil)
	})
	route(a, http.MethodGet, "/api/status", "status", "Get the daemon's state", org.Viewer, a.status)
}

// Health says whether the daemon works.
type Health struct {
	Status   string `json:"status"`
	Database string `json:"database"`
}

// Version names the daemon's version.
type Version struct {
	Version string `json:"version"`
}

// Status is what the daemon is doing.
type Status struct {
	Version   string            `json:"version"`
	Database  string            `json:"database"`
	Node      string            `json:"node"`
	Paused    bool              `json:"no_schedules,omitempty" doc:"this daemon begins nothing by the clock"`
	Nodes     []string          `json:"nodes" doc:"all that share the database, this one included"`
	Models    int               `json:"models"`
	LogEnd    event.Seq         `json:"log_end" doc:"the last position; on PostgreSQL some are left out, so it is no count"`
	Events    int64             `json:"events" doc:"of the log"`
	Runs      map[run.State]int `json:"runs" doc:"runs that are not over"`
	Spend     agent.Spend       `json:"spend"`
	Today     agent.Spend       `json:"spend_today" doc:"since midnight, UTC"`
	Apart     []string          `json:"nodes_apart,omitempty" doc:"those that keep their artifacts in another folder than this one"`
	Policies  map[string]string `json:"node_policies,omitempty" doc:"the digest of the policy of each node, where they differ"`
	Artifacts string            `json:"artifacts,omitempty" doc:"the folder of large payloads; for admins"`
	Doubted   []string          `json:"doubted_proxies,omitempty" doc:"addresses from which, within a day, callers came with a header of a proxy that is not trusted; for admins"`
}

func (a *api) status(ctx context.Context, _ *struct{}) (*Body[Status], error) {
	out := Status{Paused: a.Paused, Version: a.Version, Database: a.Store.Database.Name(), Node: a.Node, Models: len(a.Models.List()), Runs: make(map[run.State]int)}
	var err error
	if out.LogEnd, err = a.Store.Log.End(ctx); err != nil {
		return nil, err
	}
	if out.Events, err = a.Store.Log.Count(ctx); err != nil {
		return nil, err
	}
	for _, s := range []run.State{run.Queued, run.Running, run.Waiting} {
		list, err := a.Store.Runs.RunList(ctx, run.Filter{State: s, Limit: 1000})
		if err != nil {
			return nil, err
		}
		out.Runs[s] = len(list)
	}
	if person(ctx).Role.AtLeast(org.Admin) {
		out.Doubted, out.Artifacts = a.hall.Doubted(), a.Artifacts.Folder()
	}
	if err := a.nodes(ctx, &out); err != nil {
		return nil, err
	}
	if out.Today, err = a.Store.Spending.SpendSince(ctx, time.Now().UTC().Truncate(24*time.Hour)); err != nil {
		return nil, err
	}
	out.Spend, err = a.Store.Spending.Spend(ctx, "")
	return body(out, err)
}

func (a *api) logRoutes() {
	route(a, http.MethodGet, "/api/log", "read-log", "List events of the log", org.Viewer, a.log)
	route(a, http.MethodGet, "/api/log/{seq}", "get-event", "Get an event as recorded", org.Viewer, a.event)
	route(a, http.MethodGet, "/api/log/verify", "verify-log", "Verify the hash chain of every stream, and the artifacts that events name", org.Viewer, func(ctx context.Context, _ *struct{}) (*Body[event.Report], error) {
		return body(a.Store.Audit.VerifyWith(ctx, a.Artifacts.Get))
	})
}

// LogQuery narrows the log.
type LogQuery struct {
	After  int64  `query:"after" doc:"only events past this position; with newest, before it"`
	Type   string `query:"type" doc:"a type, or a namespace such as desk.*"`
	Thread string `query:"thread"`
	Run    string `query:"run"`
	Stream string `query:"stream"`
	Actor  string `query:"actor"`
	Newest bool   `query:"newest"`
	Limit  int    `query:"limit" minimum:"1" maximum:"500" default:"100"`
}

// LogPage is a part of the log.
type LogPage struct {
	Events []Logged `json:"events"`
	End    int64    `json:"end" doc:"the position up to which was looked"`
}

// Logged is an event as the page shows it.
type Logged struct {
	Seq       event.Seq       `json:"seq"`
	At        time.Time       `json:"at"`
	Stream    string          `json:"stream"`
	StreamSeq int64           `json:"stream_seq"`
	ID        string          `json:"id"`
	Type      string          `json:"type"`
	Thread    string          `json:"thread_id"`
	Run       string          `json:"run_id"`
	Task      string          `json:"task_id"`
	From      string          `json:"from"`
	Payload   json.RawMessage `json:"payload"`
	Hash      string          `json:"hash"`
}

func logged(e event.Event) Logged {
	m := e.Message
	return Logged{Seq: e.Seq, At: e.At, Stream: e.Stream, StreamSeq: e.StreamSeq, ID: m.ID, Type: m.Type, Thread: m.ThreadID, Run: m.RunID, Task: m.TaskID, From: m.From.AgentID, Payload: m.Payload, Hash: e.Hash}
}

func (a *api) log(ctx context.Context, in *LogQuery) (*Body[LogPage], error) {
	events, end, err := a.Store.Log.Events(ctx, event.Seq(in.After), event.Filter{Stream: in.Stream, Thread: in.Thread, Run: in.Run, Type: in.Type, Actor: in.Actor, Limit: in.Limit, Newest: in.Newest})
	out := LogPage{Events: []Logged{}, End: int64(end)}
	for _, e := range events {
		out.Events = append(out.Events, logged(gateway.Shown(person(ctx), e.Event)))
	}
	return body(out, err)
}

// Whole is an event with everything that is recorded of it.
type Whole struct {
	Seq       event.Seq     `json:"seq"`
	At        time.Time     `json:"at"`
	Stream    string        `json:"stream"`
	StreamSeq int64         `json:"stream_seq"`
	Message   event.Message `json:"message"`
	Erased    bool          `json:"erased,omitempty" doc:"the payload was erased; its digest and the chain stand"`
	Digest    string        `json:"payload_digest"`
	PrevHash  string        `json:"prev_hash"`
	Hash      string        `json:"hash"`
}

func (a *api) event(ctx context.Context, in *struct {
	Seq int64 `path:"seq" minimum:"1" doc:"its position in the log"`
},
) (*Body[Whole], error) {
	found, _, err := a.Store.Log.Events(ctx, event.Seq(in.Seq-1), event.Filter{Limit: 1})
	if err != nil {
		return nil, err
	}
	if len(found) == 0 || found[0].Seq != event.Seq(in.Seq) {
		return nil, fault.New(fault.NotFound, "There is no event %d in the log.", in.Seq)
	}
	e := found[0]
	e.Event = gateway.Shown(person(ctx), e.Event)
	return body(Whole{
		Seq: e.Seq, At: e.At, Stream: e.Stream, StreamSeq: e.StreamSeq, Message: e.Message, Erased: e.Erased, Digest: e.PayloadDigest, PrevHash: e.PrevHash, Hash: e.Hash,
	}, nil)
}

// export streams the whole log with signed heads.
func (a *api) export(ctx context.Context, w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/jsonl")
	w.Header().Set("Content-Disposition", `attachment; filename="chela-log.jsonl"`)
	if err := a.Store.Audit.Export(ctx, w, a.Key); err != nil {
		a.Log.Error("export the log", "err", err)
		panic(http.ErrAbortHandler) // the client must not take a cut file for a whole one
	}
}

func (a *api) artifact(w http.ResponseWriter, r *http.Request) {
	if _, err := a.hall.Permit(r, org.Viewer); err != nil {
		a.hall.Fail(w, r, err)
		return
	}
	raw, err := a.Artifacts.Get(artifact.Ref(chi.URLParam(r, "ref")))
	if err != nil {
		a.hall.Fail(w, r, err)
		return
	}
	w.Header().Set("Content-Type", "application/octet-stream")
	w.Header().Set("Content-Disposition", "attachment")
	_, _ = w.Write(raw) // the client is gone
}

// keepAlive is how often a silent stream says that it is there.
const keepAlive = 15 * time.Second

// placeOf is the place in the log from which on a stream is asked for: by Last-Event-ID, by the query's after, or else from now on. One
// that cannot be read is refused: who hears from now on instead would miss events.
func (a *api) placeOf(ctx context.Context, r *http.Request) (event.Seq, error) {
	name, from := "Last-Event-ID", r.Header.Get("Last-Event-ID")
	if from == "" {
		name, from = "after", r.URL.Query().Get("after")
	}
	if from == "" {
		return a.Store.Log.End(ctx)
	}
	n, err := strconv.ParseUint(from, 10, 63)
	if err != nil {
		return 0, gateway.WithStatus(http.StatusBadRequest, fault.BadField(name, "It is no place in the log. Send the id of the last event that you have, or nothing to hear what comes from now on."))
	}
	return event.Seq(n), nil
}

// events sends what is recorded, from Last-Event-ID on, and the ticks beside it.
// Query: thread, type (a namespace ends in *), after. Ticks have no id: they are lost
// when the connection is.
func (a *api) events(ctx context.Context, w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	after, err := a.placeOf(ctx, r)
	if kind := q.Get("type"); err == nil && kind != "" {
		err = event.CheckPattern("type", kind, a.Kinds)
	}
	if err != nil {
		a.hall.Fail(w, r, err)
		return
	}
	leave, err := a.tail.join(ctx)
	if err != nil {
		a.hall.Fail(w, r, err)
		return
	}
	defer leave()
	ticks := a.Hub.Subscribe(q.Get("thread"))
	defer ticks.Close()
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-store")
	s := sse{w: w, c: http.NewResponseController(w), a: a, filter: event.Filter{Thread: q.Get("thread"), Type: q.Get("type"), Limit: 500}, after: after}
	alive := time.NewTicker(keepAlive)
	defer alive.Stop()
	s.send(fmt.Appendf(nil, ": the log from %d on\nretry: 1000\n\n", after))
	more := s.catchUp(ctx)
	for s.err == nil && ctx.Err() == nil {
		select {
		case <-ctx.Done():
		case <-more:
			more = s.catchUp(ctx)
		case t := <-ticks.C:
			raw, err := json.Marshal(t)
			if err == nil {
				s.send(fmt.Appendf(nil, "event: tick\ndata: %s\n\n", raw))
			}
		case <-alive.C:
			s.send([]byte(": alive\n\n"))
		}
	}
}

type sse struct {
	w      http.ResponseWriter
	c      *http.ResponseController
	a      *api
	filter event.Filter
	after  event.Seq
	err    error
}

// send sends frames together.
func (s *sse) send(frames ...[]byte) {
	for _, f := range frames {
		if s.err == nil {
			_, s.err = s.w.Write(f)
		}
	}
	if s.err == nil && len(frames) > 0 {
		s.err = s.c.Flush()
	}
}

// catchUp sends what there is; the channel is closed when there is more.
func (s *sse) catchUp(ctx context.Context) <-chan struct{} {
	frames, end, more, ok := s.a.tail.since(s.after, s.filter)
	if !ok {
		s.readLog(ctx)
		frames, end, more, _ = s.a.tail.since(s.after, s.filter)
	}
	s.send(frames...)
	s.after = end
	return more
}

// readLog sends what is older than what the tail holds.
func (s *sse) readLog(ctx context.Context) {
	for s.err == nil {
		events, end, err := s.a.Store.Log.Events(ctx, s.after, s.filter)
		frames := make([][]byte, len(events))
		for i := 0; err == nil && i < len(events); i++ {
			var f frame
			f, err = newFrame(events[i].Event)
			frames[i] = f.raw
		}
		if err != nil {
			s.err = err
			return
		}
		s.send(frames...)
		s.after = end
		if len(events) < s.filter.Limit {
			return
		}
	}
}
