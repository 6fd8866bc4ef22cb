package api

import (
	"context"
	"crypto/ed25519"
	"io"
	"time"

	"chela/internal/agent"
	"chela/internal/approval"
	"chela/internal/artifact"
	"chela/internal/budget"
	"chela/internal/channel"
	"chela/internal/chart"
	"chela/internal/clerk"
	"chela/internal/desk"
	"chela/internal/event"
	"chela/internal/guard"
	"chela/internal/memory"
	"chela/internal/org"
	"chela/internal/run"
	"chela/internal/schedule"
	"chela/internal/session"
)

// A Store is what the API reads and the little it writes without the engine.
type Store struct {
	Desk          Records
	Log           Log
	Audit         Audit
	Runs          Runs
	Spending      Spending
	Questions     Questions
	Policy        Allowances
	Budgets       Budgets
	Conversations Conversations
	Plan          Plan
	Executions    Executions
	Chats         Chats
	Roster        Roster
	People        People
	Credentials   Credentials
	Cluster       Cluster
	Database      Database
	Notifications Notifications
	Workflows     Workflows
	Recall        Notes
}

// Notes are what persons keep for themselves.
type Notes interface {
	Notes(ctx context.Context, person string) ([]memory.Note, error)
}

// Records are the records of all projects as they are.
type Records interface {
	clerk.Source
	Desk
	Search(ctx context.Context, q clerk.Search) (clerk.Hits, error)
	// Differences returns what is different of the records of a span, and what asks for those after them.
	Differences(ctx context.Context, s clerk.Span) (out []desk.Diff, next int64, err error)
	CountByKind(ctx context.Context, s clerk.Span) (map[desk.Kind]int, error)
	// ChangedTickets is as Differences for which tickets changed, or have somebody else.
	ChangedTickets(ctx context.Context, s clerk.Span) (ids []string, next int64, err error)
}

// A Log is the events.
type Log interface {
	event.Log
	event.Notifier
	Events(ctx context.Context, after event.Seq, f event.Filter) ([]event.Exported, event.Seq, error)
	End(ctx context.Context) (event.Seq, error)
	Count(ctx context.Context) (int64, error)
	ByKey(ctx context.Context, sender, key string) (event.Event, error)
	Placed(ctx context.Context, record string) (made, last event.Seq, err error)
}

// Audit proves what the log holds.
type Audit interface {
	VerifyWith(ctx context.Context, get func(artifact.Ref) ([]byte, error)) (event.Report, error)
	Export(ctx context.Context, w io.Writer, key ed25519.PrivateKey) error
	Erase(ctx context.Context, at event.Place, person, reason string) (memory.Erased, error)
}

// Runs are the runs with their tasks.
type Runs interface {
	Run(ctx context.Context, id run.ID) (run.Run, error)
	RunList(ctx context.Context, f run.Filter) ([]run.Run, error)
	Tasks(ctx context.Context, id run.ID) ([]run.Task, error)
	Forks(ctx context.Context, of run.Run) ([]run.Run, error)
}

// Spending sums the calls of models.
type Spending interface {
	Spends(ctx context.Context, ids []run.ID) (map[run.ID]agent.Spend, error)
	Spend(ctx context.Context, id run.ID) (agent.Spend, error)
	SpendSince(ctx context.Context, since time.Time) (agent.Spend, error)
	SpendBy(ctx context.Context, since time.Time) (map[org.AgentID]agent.Spend, error)
	SpentByDay(ctx context.Context, project string, since, until time.Time) ([]chart.Spent, error)
	Usage(ctx context.Context, project string, since, until time.Time, by []agent.UsageBy) ([]agent.Usage, error)
}

// Questions are what runs ask people.
type Questions interface {
	Approval(ctx context.Context, id string) (approval.Approval, error)
	Approvals(ctx context.Context, s approval.Status, limit int) ([]approval.Approval, error)
	ApprovalsOf(ctx context.Context, id run.ID) ([]approval.Approval, error)
}

// Allowances are what people allow for always.
type Allowances interface {
	Allowances(ctx context.Context) ([]guard.Allowance, error)
}

// Budgets are the limits and what was taken of them.
type Budgets interface {
	LimitsNow(ctx context.Context) ([]budget.Limit, error)
	Use(ctx context.Context, l budget.Limit) (budget.Use, error)
}

// Conversations are what was said and what waits to be said.
type Conversations interface {
	Session(ctx context.Context, id string) (session.Thread, error)
	Sessions(ctx context.Context, project, person string, limit, offset int) ([]session.View, error)
	View(ctx context.Context, id, person string) (session.View, error)
	Messages(ctx context.Context, thread string, after event.Seq, limit int) ([]session.Message, error)
	LastMessages(ctx context.Context, thread string, upTo event.Seq, limit int) ([]session.Message, error)
	Waiting(ctx context.Context, thread string) ([]session.Waiting, error)
}

// A Plan is the schedules.
type Plan interface {
	Schedules(ctx context.Context) ([]schedule.Schedule, error)
	Schedule(ctx context.Context, id schedule.ID) (schedule.Schedule, error)
	event.Notifier
}

// Chats are the chats of channels that may be written to.
type Chats interface {
	Places(ctx context.Context) ([]channel.Place, error)
}

// Executions are what schedules began, or will.
type Executions interface {
	Execution(ctx context.Context, id schedule.ExecutionID) (schedule.Execution, error)
	Executions(ctx context.Context, f schedule.Filter) ([]schedule.Execution, error)
	Attempts(ctx context.Context, f schedule.Filter) ([]schedule.Attempt, int, error)
	Attempt(ctx context.Context, id schedule.ExecutionID, number int) (schedule.Attempt, error)
	LastAttempts(ctx context.Context) (map[schedule.ID]schedule.Attempt, error)
}

// A Roster is the agents.
type Roster interface {
	Agent(ctx context.Context, id org.AgentID) (org.Agent, error)
	Member(ctx context.Context, id org.AgentID) (agent.Member, error)
	Members(ctx context.Context) ([]agent.Member, error)
	ChangeAgent(ctx context.Context, id org.AgentID, fn func(agent.Member) (event.Draft, error)) error
	Doing(ctx context.Context) (map[org.AgentID][]agent.Doing, error)
}

// People are the members of the organization, and how they arranged the page.
type People interface {
	Person(ctx context.Context, id string) (org.Person, error)
	Persons(ctx context.Context) ([]org.Person, error)
	Layouts(ctx context.Context, person string) ([]org.Layout, error)
	FontSize(ctx context.Context, person string) (int, error)
	Tour(ctx context.Context, person string) (*org.Tour, error)
	ChangeLayouts(ctx context.Context, person string, fn func(have []org.Layout) (event.Draft, error)) error
}

// Credentials are the tokens that open the gateway.
type Credentials interface {
	Access(ctx context.Context, token string) (org.Access, error)
	Grant(ctx context.Context, token string, a org.Access) error
	LogIn(ctx context.Context, link, token string, a org.Access, made func(id string) []event.Draft) error
	Tokens(ctx context.Context) ([]org.Access, error)
	Keys(ctx context.Context) ([]org.Key, error)
	Key(ctx context.Context, id string) (org.Key, error)
	MakeKey(ctx context.Context, token string, k org.Key, made func(org.Key) []event.Draft) (org.Key, error)
	Revoke(ctx context.Context, id string, drafts ...event.Draft) error
}

// A Cluster is the nodes that share the database.
type Cluster interface {
	Nodes(ctx context.Context) (map[string]time.Time, error)
}

// A Database says which it it is, and why nothing more is recorded, when that is so.
type Database interface {
	Name() string
	Writable() error
}
