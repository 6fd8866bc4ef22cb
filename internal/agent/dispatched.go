package agent

import (
	"cmp"
	"encoding/json"
	"fmt"

	"chela/internal/fault"
	"chela/internal/model"
)

// dispatchTool is agent_spawn by the name and with the arguments that prompts and scenarios know that were written for
// another system. There it recorded that an agent was told, and told none; here the agent begins.
const dispatchTool = "dispatch_agent"

type dispatchIn struct {
	Agent    string `json:"agentId" doc:"its name"`
	Source   string `json:"sourceType" doc:"what kind of content it is about, such as MEETING_NOTES or JIRA_DUMP"`
	Summary  string `json:"summary" doc:"what it is to do"`
	Priority int    `json:"priority,omitempty" doc:"from 1 to 5; 3 when left out"`
	Project  string `json:"projectId,omitempty" doc:"that of the conversation"`
}

// begins are the arguments with which a call begins a child of a run in a project; ok is false when it begins none.
func begins(call model.ToolCall, project string) (in spawnIn, ok bool, err error) {
	misfit := func(err error) error {
		return fault.Wrap(err, fault.Invalid, "The arguments of %s do not fit.", call.Name)
	}
	switch call.Name {
	case spawnTool:
		if err := json.Unmarshal(call.Args, &in); err != nil {
			return in, true, misfit(err)
		}
		return in, true, nil
	case dispatchTool:
		var d dispatchIn
		if err := json.Unmarshal(call.Args, &d); err != nil {
			return in, true, misfit(err)
		}
		if d.Project != "" && d.Project != project {
			return in, true, fault.BadField("projectId", "An agent begins in the project of the conversation; leave it out.")
		}
		if d.Priority < 0 || d.Priority > 5 {
			return in, true, fault.BadField("priority", "It is a number from 1 to 5.")
		}
		context := fmt.Sprintf("It is about content of the kind %s, with the priority %d of 5.", d.Source, cmp.Or(d.Priority, 3))
		return spawnIn{Agent: d.Agent, Task: d.Summary, Context: context}, true, nil
	}
	return in, false, nil
}
