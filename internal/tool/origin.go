package tool

import "slices"

// The origins of what a run has seen, beside the hosts that it came from. A run keeps them as a
// list; guard decides by it.
const (
	FromRecords       = "records"          // our own records, written by people: private, trusted
	FromImports       = "imported records" // records whose words came by intake, import or an untrusted agent
	FromDocuments     = "documents"        // what was handed to an intake
	FromConversations = "conversations"    // messages of other conversations
	FromAgents        = "other agents"     // messages of agents that are not ours
	FromFiles         = "files"
	FromPrograms      = "programs"
	FromClient        = "tools of the client" // what a program that asks got from its own tools
)

// Untrusted returns the origins whose words may hold instructions of strangers.
func Untrusted(origins []string) []string {
	return slices.DeleteFunc(slices.Clone(origins), func(o string) bool { return o == FromRecords })
}

// Private reports whether what came from the origins may not leave the organization unasked.
func Private(origins []string) bool {
	return slices.ContainsFunc(origins, func(o string) bool {
		switch o {
		case FromRecords, FromImports, FromDocuments, FromConversations, FromFiles, FromPrograms:
			return true
		}
		return false
	})
}

// Outside returns the untrusted origins that lie beyond our own records. A run that has seen only
// records, documents and messages may still write records: such a change is ours, it carries
// where its words came from, and it can be undone.
func Outside(origins []string) []string {
	return slices.DeleteFunc(Untrusted(origins), func(o string) bool {
		return o == FromImports || o == FromDocuments || o == FromConversations || o == FromAgents
	})
}

// Ours reports whether an origin is a part of our own database; "" is.
func Ours(origin string) bool {
	switch origin {
	case "", FromRecords, FromImports, FromDocuments, FromConversations:
		return true
	}
	return false
}
