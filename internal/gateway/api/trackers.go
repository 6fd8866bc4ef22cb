package api

import (
	"context"
	"net/http"
	"strings"
	"time"

	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/gateway"
	"chela/internal/netaddr"
	"chela/internal/org"
	"chela/internal/run"
	"chela/internal/tracker"
)

// shownSyncs is how many of its last syncs a tracker shows.
const shownSyncs = 20

// lookedSyncs is among how many syncs of all trackers they are found.
const lookedSyncs = 500

// secretsOfTrackers is how the names of secrets begin that an admin may have sent to a tracker: another name would take a
// secret out of the vault to an address of their choice.
const secretsOfTrackers = "TRACKER_"

func trackerRoutes(a *api) {
	route(a, http.MethodGet, "/api/trackers", "list-trackers", "List the trackers that are read live, and how they are doing", org.Editor, a.trackers)
	route(a, http.MethodGet, "/api/trackers/{name}", "get-tracker", "Show a tracker that is read live, with its last syncs", org.Editor, a.tracker)
	route(a, http.MethodPut, "/api/trackers/{name}", "set-tracker", "Read a tracker live, or change how; set to another place, all of it is read anew", org.Admin, a.setTracker)
	route(a, http.MethodDelete, "/api/trackers/{name}", "remove-tracker", "Do not read a tracker any more; the tickets that it brought stay", org.Admin, func(ctx context.Context, in *TrackerPath) (*struct{}, error) {
		return nil, a.Trackers.Remove(ctx, party(ctx), in.Name)
	})
	route(a, http.MethodPost, "/api/trackers/{name}/sync", "sync-tracker", "Read now what changed in a tracker; the answer names the run", org.Editor, func(ctx context.Context, in *struct {
		TrackerPath
		Body TrackerSync
	},
	) (*Body[TrackerBegun], error) {
		id, err := a.Trackers.Begin(ctx, party(ctx), in.Name, in.Body.All)
		return body(TrackerBegun{id}, err)
	}, status(http.StatusAccepted))
}

// TrackerPath names a tracker.
type TrackerPath struct {
	Name string `path:"name" maxLength:"40"`
}

// TrackerBody is a tracker to set.
type TrackerBody struct {
	Kind    tracker.Kind `json:"kind" enum:"github,jira,gitlab,linear"`
	Address string       `json:"address,omitempty" maxLength:"1000" doc:"of its API; that of github.com, gitlab.com or linear.app when left out"`
	Scope   string       `json:"scope" maxLength:"300" doc:"what of it is read: owner/repository, the key of a project of Jira or of a team of Linear, group/project"`
	Project string       `json:"projectId" doc:"the project of ours whose tickets it brings"`
	Secret  string       `json:"secret,omitempty" maxLength:"100" doc:"the name of the token in the vault; an admin who is no owner names one that begins with TRACKER_"`
	Every   int          `json:"everyMinutes,omitempty" minimum:"1" maximum:"1440" doc:"how often it is looked at; 15 when left out"`
	Off     bool         `json:"off,omitempty" doc:"it is read only when somebody asks"`
}

// TrackerSync says what of a tracker is read.
type TrackerSync struct {
	All bool `json:"all,omitempty" doc:"all of it, whatever was read before"`
}

// TrackerBegun names the run of a sync.
type TrackerBegun struct {
	Run run.ID `json:"runId"`
}

// TrackerOut is a tracker with its last syncs.
type TrackerOut struct {
	tracker.State
	Syncs []TrackerRun `json:"syncs" doc:"the newest first"`
}

// TrackerRun is a sync.
type TrackerRun struct {
	Run     string          `json:"runId"`
	State   run.State       `json:"state" enum:"queued,running,waiting,done,failed,cancelled"`
	At      time.Time       `json:"at"`
	By      event.Party     `json:"by"`
	Text    string          `json:"text,omitempty" doc:"what came of it, or what it waits for"`
	Brought *tracker.Synced `json:"brought,omitempty"`
}

func (a *api) trackers(ctx context.Context, _ *struct{}) (*Body[[]tracker.State], error) {
	out, err := a.Trackers.Records.Trackers(ctx)
	return body(append([]tracker.State{}, out...), err)
}

func (a *api) tracker(ctx context.Context, in *TrackerPath) (*Body[TrackerOut], error) {
	t, err := a.Trackers.Records.Tracker(ctx, in.Name)
	if err != nil {
		return nil, err
	}
	runs, err := a.Store.Runs.RunList(ctx, run.Filter{Thread: t.Thread, Kind: tracker.RunKind, Limit: shownSyncs})
	if err != nil {
		return nil, err
	}
	told, _, err := a.Store.Log.Events(ctx, 0, event.Filter{Stream: event.OrgStream, Type: tracker.SyncedKind.Name, Newest: true, Limit: lookedSyncs})
	if err != nil {
		return nil, err
	}
	brought := make(map[string]tracker.Synced, len(told))
	for _, e := range told {
		if s, ok, err := tracker.SyncedKind.Open(e.Event); ok && err == nil && s.Name == t.Name {
			s.Cursor = tracker.Cursor{}
			brought[e.Message.RunID] = s
		}
	}
	out := TrackerOut{t, []TrackerRun{}}
	for _, r := range runs {
		shown := TrackerRun{Run: string(r.ID), State: r.State, Text: r.Reason, At: r.CreatedAt, By: r.By}
		if s, ok := brought[shown.Run]; ok {
			shown.Text, shown.Brought = s.Text(), &s
		}
		out.Syncs = append(out.Syncs, shown)
	}
	return body(out, nil)
}

func (a *api) setTracker(ctx context.Context, in *struct {
	TrackerPath
	Body TrackerBody
},
) (*Body[tracker.State], error) {
	b := in.Body
	if err := ofKey(ctx, b.Project); err != nil {
		return nil, err
	}
	t := tracker.Tracker{Name: in.Name, Kind: b.Kind, Address: b.Address, Scope: b.Scope, Project: b.Project, Secret: b.Secret, Every: b.Every, Off: b.Off, Inside: true}
	if err := t.Check(); err != nil { // but for what is inside, which is found out next
		return nil, err
	}
	if err := a.Clerk.Exists(ctx, t.Project); err != nil {
		return nil, err
	}
	was, err := a.Trackers.Records.Tracker(ctx, t.Name)
	if err != nil && fault.KindOf(err) != fault.NotFound {
		return nil, err
	}
	same := was.Name != "" && was.Address == t.Address && was.Secret == t.Secret
	owner := person(ctx).Role == org.Owner && gateway.CallerOf(ctx).Key == nil
	if t.Secret != "" && !same && !owner && !strings.HasPrefix(t.Secret, secretsOfTrackers) {
		return nil, fault.New(fault.Denied, "Only an owner has any secret of the vault sent to a tracker; you may name one that begins with %s.", secretsOfTrackers)
	}
	if t.Inside = same && was.Inside; !t.Inside {
		if _, err := a.mayReach(ctx, "address", t.Address); err != nil {
			return nil, err
		}
		t.Inside = owner && isInside(ctx, t.Address)
	}
	return body(a.Trackers.Set(ctx, party(ctx), t))
}

// isInside reports whether an address leads to none of the internet.
func isInside(ctx context.Context, address string) bool {
	u, err := netaddr.URL(address)
	if err != nil {
		return false
	}
	for _, at := range resolved(ctx, u.Hostname()) {
		if (netaddr.Reach{}).Allow(at) != nil {
			return true
		}
	}
	return false
}
