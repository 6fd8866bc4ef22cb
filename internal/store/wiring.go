package store

import (
	"chela/internal/inbox"
	"chela/internal/schedule"
)

// ForInbox are the queries of an inbox.
func (q Queries) ForInbox() inbox.Store {
	return inbox.Store{
		Directory: q.Directory, Conversations: q.Conversations, Log: q.Log, Members: q.Roster, Runs: q.Runs, Questions: q.Questions, Spending: q.Spending,
	}
}

// ForClock are the queries of a clock.
func (q Queries) ForClock() schedule.Store {
	return schedule.Store{Plan: q.Plan, Runs: q.Runs, Zones: q.Notifications, Past: schedule.Past{Attempts: q.Plan, Runs: q.Runs, Log: q.Log, Agents: q.Roster, Conversations: q.Conversations}}
}
