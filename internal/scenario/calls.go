package scenario

import (
	"encoding/json"

	"chela/internal/model/scripted"
)

// A toolName is how a tool of the other system is called here: its arguments by other
// names, and those that nobody takes.
type toolName struct {
	Rename map[string]string
	Drop   []string
}

// tools are called by the same name unless here; projectId, which the conversation
// gives, is nobody's argument.
var tools = map[string]toolName{
	"create_objective": {Rename: map[string]string{"title": "outcome", "description": "measurableSignal", "week": "sprintName"}},
	"create_ticket":    {Rename: map[string]string{"sourceThreadId": "linkedThreadIds"}},
	"update_objective": {Drop: []string{"coveragePercent"}},
}

// callHere is a call as the tools of this system take it.
func callHere(c scripted.Call) scripted.Call {
	var args map[string]json.RawMessage
	if json.Unmarshal(c.Args, &args) != nil || args == nil {
		return c
	}
	drop := append([]string{"projectId", "projectName"}, tools[c.Name].Drop...)
	if c.Name == "memory" {
		drop = append(drop, "sessionId", "threadId")
		switch plain(args["operation"]) {
		case "recall":
			drop = append(drop, "content")
		case "delete":
			drop = append(drop, "content", "query")
		}
	}
	for _, d := range drop {
		delete(args, d)
	}
	for from, to := range tools[c.Name].Rename {
		v, ok := args[from]
		if _, taken := args[to]; !ok || taken {
			continue
		}
		delete(args, from)
		if to == "linkedThreadIds" {
			v = encoded([]json.RawMessage{v})
		}
		args[to] = v
	}
	c.Args = encoded(args)
	return c
}
