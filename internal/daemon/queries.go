package daemon

import (
	"chela/internal/channel"
	a2adoor "chela/internal/gateway/a2a"
	"chela/internal/gateway/api"
	"chela/internal/gateway/clutch"
	mcpdoor "chela/internal/gateway/mcp"
	"chela/internal/run/cluster"
	"chela/internal/store"
	"chela/internal/talk"
	"chela/internal/worker"
)

// forAPI are what the API asks the store.
func forAPI(db *store.DB) api.Store {
	return api.Store{
		Desk: db.Desk, Log: db.Log, Audit: db.Audit, Runs: db.Runs, Spending: db.Spending, Questions: db.Questions, Policy: db.Policy, Budgets: db.Budgets,
		Conversations: db.Conversations, Plan: db.Plan, Executions: db.Plan, Chats: db.Chats, Roster: db.Roster, People: db.People, Credentials: db.Credentials,
		Cluster: db.Cluster, Database: db, Notifications: db.Notifications, Workflows: db.Workflows,
		Recall: db.Recall,
	}
}

// forChannels are what channels ask the store.
func forChannels(db *store.DB) channel.Store {
	return channel.Store{
		Log: db.Log, Outbox: db.Outbox, Platforms: db.Platforms, Chats: db.Chats, People: db.People, Agents: db.Roster,
		Conversations: db.Conversations, Questions: db.Questions, Runs: db.Runs, Nodes: db.Cluster,
	}
}

// forTalk are what a talk asks the store.
func forTalk(db *store.DB) talk.Store {
	return talk.Store{Desk: db.Desk, Conversations: db.Conversations, Runs: db.Runs, Log: db.Log, Agents: db.Roster, Spending: db.Spending, Keys: db.Credentials}
}

// forClutch are what agents outside say of themselves.
func forClutch(db *store.DB) clutch.Store {
	return clutch.Store{Log: db.Log, Agents: db.Roster, Workers: worker.New(db.Workers)}
}

// forMCP are what clients of MCP read.
func forMCP(db *store.DB) mcpdoor.Store {
	return mcpdoor.Store{Desk: db.Desk, Conversations: db.Conversations, Runs: db.Runs, Questions: db.Questions, Agents: db.Roster, People: db.People, Log: db.Log, Workflows: db.Workflows}
}

// forA2A are what agents of other organizations ask about beside what is said.
func forA2A(db *store.DB) a2adoor.Store {
	return a2adoor.Store{Runs: db.Runs, Conversations: db.Conversations, Questions: db.Questions}
}

// forNodes are what nodes ask of the store.
func forNodes(db *store.DB) cluster.Store {
	return cluster.Store{Queue: db.Queue, Nodes: db.Cluster, Wakes: db.Log}
}
