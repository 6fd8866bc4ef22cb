package api

import (
	"context"
	"crypto/ed25519"
	"io"
	"time"

	"chela/internal/agent"
	"chela/internal/approval"
	"chela/internal/budget"
	"chela/internal/clerk"
	"chela/internal/desk"
	"chela/internal/event"
	"chela/internal/guard"
	"chela/internal/org"
	"chela/internal/run"
	"chela/internal/session"
)

// A Store is what the API reads and the little it writes without the engine.
type Store interface {
	clerk.Source
	logReader
	runReader
	scheduleReader
	members
	accesses
	CountRecords(ctx context.Context, project string) (map[desk.Kind]int, error)
	Search(ctx context.Context, q clerk.Search) (clerk.Hits, error)
	Nodes(ctx context.Context) (map[string]time.Time, error)
	Name() string
	Writable() error
}

type logReader interface {
	event.Log
	Events(ctx context.Context, after event.Seq, f event.Filter) ([]event.Exported, event.Seq, error)
	End(ctx context.Context) (event.Seq, error)
	ByKey(ctx context.Context, sender, key string) (event.Event, error)
	event.Notifier
	Verify(ctx context.Context) (event.Report, error)
	Export(ctx context.Context, w io.Writer, key ed25519.PrivateKey) error
}

type runReader interface {
	run.Reader
	Settled(id run.ID) (<-chan run.Finished, func())
	RunList(ctx context.Context, f run.Filter) ([]run.Run, error)
	Tasks(ctx context.Context, id run.ID) ([]run.Task, error)
	Forks(ctx context.Context, of run.Run) ([]run.Run, error)
	Spends(ctx context.Context, ids []run.ID) (map[run.ID]agent.Spend, error)
	Spend(ctx context.Context, id run.ID) (agent.Spend, error)
	SpendSince(ctx context.Context, since time.Time) (agent.Spend, error)
	Approval(ctx context.Context, id string) (approval.Approval, error)
	Approvals(ctx context.Context, s approval.Status, limit int) ([]approval.Approval, error)
	ApprovalsOf(ctx context.Context, id run.ID) ([]approval.Approval, error)
	Allowances(ctx context.Context) ([]guard.Allowance, error)
	LimitsNow(ctx context.Context) ([]budget.Limit, error)
	Use(ctx context.Context, l budget.Limit) (budget.Use, error)
	Session(ctx context.Context, id string) (session.Thread, error)
	Sessions(ctx context.Context, project, person string, limit, offset int) ([]session.View, error)
	View(ctx context.Context, id, person string) (session.View, error)
	Messages(ctx context.Context, thread string, after event.Seq, limit int) ([]session.Message, error)
	LastMessages(ctx context.Context, thread string, upTo event.Seq, limit int) ([]session.Message, error)
	Waiting(ctx context.Context, thread string) ([]session.Waiting, error)
}

type members interface {
	Agent(ctx context.Context, id org.AgentID) (org.Agent, error)
	Member(ctx context.Context, id org.AgentID) (agent.Member, error)
	Members(ctx context.Context) ([]agent.Member, error)
	ChangeAgent(ctx context.Context, id org.AgentID, fn func(agent.Member) (event.Draft, error)) error
	Doing(ctx context.Context) (map[org.AgentID][]agent.Doing, error)
	SpendBy(ctx context.Context, since time.Time) (map[org.AgentID]agent.Spend, error)
	Person(ctx context.Context, id string) (org.Person, error)
	Persons(ctx context.Context) ([]org.Person, error)
	Layouts(ctx context.Context, person string) ([]org.Layout, error)
	FontSize(ctx context.Context, person string) (int, error)
	ChangeLayouts(ctx context.Context, person string, fn func(have []org.Layout) (event.Draft, error)) error
}

type accesses interface {
	Guest(ctx context.Context, token string) (org.Person, org.Access, error)
	Access(ctx context.Context, token string) (org.Access, error)
	Grant(ctx context.Context, token string, a org.Access) error
	GrantCookie(ctx context.Context, token, person string, until time.Time) error
	RedeemToken(ctx context.Context, token string) error
	Tokens(ctx context.Context) ([]org.Access, error)
	Revoke(ctx context.Context, id string, d event.Draft) error
}
