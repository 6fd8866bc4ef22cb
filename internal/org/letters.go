package org

import "chela/internal/event"

// LettersSizedKind records how large a person has the letters of the page. It is the sender's own and lies in that
// person's stream.
var LettersSizedKind = event.Kind[LettersSized]{Name: "org.letters.sized", PayloadType: "org.letters.v1"}

// LettersSized is its payload.
type LettersSized struct {
	Size int `json:"size"` // pixels
}

// The sizes of letters, in pixels. The page has the same (web/src/lib/look.ts).
const (
	SmallestLetters = 10
	UsualLetters    = 13
	LargestLetters  = 24
)
