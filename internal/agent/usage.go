package agent

import "time"

// A UsageBy names by what usage is summed.
type UsageBy string

// What usage is summed by.
const (
	ByDay     UsageBy = "day" // of UTC
	ByAgent   UsageBy = "agent"
	ByModel   UsageBy = "model" // with its provider
	ByProject UsageBy = "project"
	ByPerson  UsageBy = "person" // or schedule, that asked
	ByKey     UsageBy = "key"    // of the program that asked
)

// A Usage is what calls of models used that have something in common. Of what they are not summed by
// they say nothing.
type Usage struct {
	Day     *time.Time `json:"day,omitempty"`
	Agent   string     `json:"agent,omitempty"`
	Model   string     `json:"model,omitempty"`
	Project string     `json:"project,omitempty"`
	Person  string     `json:"person,omitempty"`
	Key     string     `json:"key,omitempty"`
	Spend
}
