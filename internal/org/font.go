package org

import "chela/internal/event"

// FontSizedKind records the size of the page's font for a person. It is the sender's own and lies in that
// person's stream.
var FontSizedKind = event.Kind[FontSized]{Name: "org.font.sized", PayloadType: "org.font.v1"}

// FontSized is its payload.
type FontSized struct {
	Size int `json:"size"` // pixels
}

// The sizes of letters, in pixels. The page has the same (web/src/lib/look.ts).
const (
	SmallestFont = 10
	UsualFont    = 13
	LargestFont  = 24
)
