package guard

import (
	"chela/internal/event"
	"chela/internal/org"
)

// An Allowance is a command that a person allowed for always: exactly this one, by this
// agent, in exactly this folder.
type Allowance struct {
	ID      string      `json:"id"` // "alw_…"
	Agent   org.AgentID `json:"agent"`
	Project string      `json:"project,omitempty"`
	Tool    string      `json:"tool"`
	Shape   string      `json:"shape"`
	Folder  string      `json:"folder"`
}

// Forgotten is the payload of policy.forgotten.
type Forgotten struct {
	ID string `json:"id"`
}

// The facts of this package.
var (
	AllowedKind   = event.Kind[Allowance]{Name: "policy.allowed", PayloadType: "policy.allowed.v1"}
	ForgottenKind = event.Kind[Forgotten]{Name: "policy.forgotten", PayloadType: "policy.forgotten.v1"}
)

// A Read is the payload of policy.read: which policy holds from now on, on one node.
type Read struct {
	Node   string `json:"node,omitempty"` // whose policy.yaml it is; empty in records of before it was named
	Digest string `json:"digest"`         // SHA-256 of the file
	Policy Policy `json:"policy"`
	Error  string `json:"error,omitempty"` // why it cannot be read; then everything is denied
}

// NoPolicy is the digest of a file that is empty or not there.
const NoPolicy = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

// ReadKind records that a policy was read.
var ReadKind = event.Kind[Read]{Name: "policy.read", PayloadType: "policy.read.v1"}
