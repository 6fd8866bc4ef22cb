package store

import "chela/internal/event"

// Queries are what can be asked of the log and of what is projected from it, by subject. Each satisfies the small
// interfaces that the packages declare which ask it.
type Queries struct {
	Log           Log
	Audit         Audit
	Runs          Runs
	Queue         Queue
	Cluster       Cluster
	Slots         Slots
	Questions     Questions
	Conversations Conversations
	Desk          Desk
	Directory     Directory
	Roster        Roster
	People        People
	Credentials   Credentials
	Spending      Spending
	Budgets       Budgets
	Policy        Policy
	Platforms     Platforms
	Outbox        Outbox
	Chats         Chats
	Plan          Plan
	Vault         Vault
	Notifications Notifications
	Workflows     Workflows
	Recall        Recall
	Webhooks      Webhooks
	MCP           MCP
	Skills        Skills
	Workers       Workers
	Trackers      Trackers
}

func queriesOf(db *DB) Queries {
	b := base{db}
	return Queries{
		Log{b},
		Audit{b},
		Runs{b},
		Queue{b},
		Cluster{b},
		Slots{b},
		Questions{b},
		Conversations{b},
		Desk{base: b},
		Directory{b},
		Roster{b},
		People{b},
		Credentials{b},
		Spending{b},
		Budgets{b},
		Policy{b},
		Platforms{b},
		Outbox{b},
		Chats{b},
		Plan{b},
		Vault{b},
		Notifications{b},
		Workflows{b},
		Recall{b},
		Webhooks{b},
		MCP{b},
		Skills{b},
		Workers{b},
		Trackers{b},
	}
}

// base is what the queries of every subject have.
type base struct{ db *DB }

// Mint is where the times and ids of what is recorded come from.
func (b base) Mint() *event.Mint { return b.db.mint }

// Subscribe implements [event.Notifier].
func (b base) Subscribe(t event.Topic) (<-chan struct{}, func()) { return b.db.Subscribe(t) }
