package event

// A Topic is something that changes in a store and that others wait for.
type Topic string

// The topics.
const (
	LogGrew          Topic = "log"        // events were appended
	WorkflowsMoved   Topic = "workflows"  // a workflow was deployed or retired, or a message was accepted for one
	RecordsChanged   Topic = "records"    // records of the desk
	PlanChanged      Topic = "plan"       // what the clock decides from
	DeliveriesDue    Topic = "deliveries" // something may be to send to a chat platform, or how one is set up
	QueuesMoved      Topic = "queues"     // messages wait in a conversation, or do not any more, or it was opened or closed
	RunsSettled      Topic = "runs"       // a run ended or began to wait: a message that waits may have its turn
	EventsAwaited    Topic = "awaits"     // a step of an instance waits for an event
	PlansBegun       Topic = "plans"      // somebody's message began an instance
	EndpointsChanged Topic = "endpoints"  // webhooks were set or removed
	PeopleConcerned  Topic = "concerns"   // something happened that people may have to be told
	ServersChanged   Topic = "servers"    // MCP servers, or what is accepted of them
	TasksFollowed    Topic = "tasks"      // a task that an agent of others was given goes on, or is not followed any more
	WorkersMoved     Topic = "workers"    // a task was given to a worker, or stands otherwise
	TrackersChanged  Topic = "trackers"   // trackers that are read live were set up or removed
	SkillsChanged    Topic = "skills"     // skills were installed, set or removed
	NodesWrote       Topic = "nodes"      // another process on the same database wrote
)

// JobsWait is the topic of jobs of a lane that wait for a node.
func JobsWait(lane string) Topic { return Topic("jobs/" + lane) }

// A Notifier tells of changes.
type Notifier interface {
	// Subscribe returns a channel that receives after the topic changed, here or in another process,
	// and a function that ends it. The channel holds one signal: a slow receiver misses none, it only
	// finds more changes at once.
	Subscribe(t Topic) (changed <-chan struct{}, stop func())
}
