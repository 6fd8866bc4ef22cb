package mcp

import (
	"encoding/json"
	"net/http"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"chela/internal/tool"
)

// Apart takes the project out of the arguments of a call.
func Apart(t *tool.Tool, raw json.RawMessage) (json.RawMessage, string) { return apart(t, raw) }

// WithProject adds the argument that names the project to a schema.
func WithProject(raw json.RawMessage) json.RawMessage { return withProject(raw) }

// AnObject adds to a schema that arguments are an object.
func AnObject(raw json.RawMessage) json.RawMessage { return anObject(raw) }

// ReadAnswer reads an answer to a question of a task.
func ReadAnswer(raw json.RawMessage) (*sdk.ElicitResult, error) { return readAnswer(raw) }

// Refused refuses a request about tasks that is not the extension's.
func Refused(w http.ResponseWriter, r *http.Request) bool { return refused(w, r) }
