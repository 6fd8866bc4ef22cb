package org

import (
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"chela/internal/event"
	"chela/internal/fault"
)

// A Layout is how a person arranged the page, kept under a name.
type Layout struct {
	Name    string    `json:"name"`
	Address string    `json:"address" doc:"of the page, which holds its panes and what each shows"`
	SavedAt time.Time `json:"saved_at"`
}

// The facts about layouts. They are the sender's own and lie in that person's stream.
var (
	LayoutSavedKind   = event.Kind[LayoutSaved]{Name: "org.layout.saved", PayloadType: "org.layout.v1"}
	LayoutRemovedKind = event.Kind[LayoutRemoved]{Name: "org.layout.removed", PayloadType: "org.layout.v1"}
)

// LayoutSaved records a layout, in place of the one of that name.
type LayoutSaved struct {
	Name    string `json:"name"`
	Address string `json:"address"`
}

// LayoutRemoved records that a layout is gone.
type LayoutRemoved struct {
	Name string `json:"name"`
}

// What a person can keep.
const (
	maxLayouts       = 50
	maxLayoutName    = 60
	maxLayoutAddress = 4000
)

// CheckLayout refuses a layout that is malformed, or one more than a person can keep; have
// are the person's.
func CheckLayout(have []Layout, l LayoutSaved) error {
	if n := utf8.RuneCountInString(l.Name); n == 0 || n > maxLayoutName || strings.TrimSpace(l.Name) != l.Name || strings.ContainsFunc(l.Name, unicode.IsControl) {
		return fault.BadField("name", "A layout has a name of one line and at most 60 characters.")
	}
	if n := utf8.RuneCountInString(l.Address); n == 0 || n > maxLayoutAddress || strings.ContainsFunc(l.Address, unicode.IsControl) {
		return fault.BadField("address", "A layout has an address of the page, of at most 4,000 characters.")
	}
	for _, h := range have {
		if h.Name == l.Name {
			return nil
		}
	}
	if len(have) >= maxLayouts {
		return fault.New(fault.Conflict, "You have %d layouts, which is as many as are kept. Remove one, or save over one.", len(have))
	}
	return nil
}

// CheckRemoval refuses to remove a layout that is not there.
func CheckRemoval(have []Layout, name string) error {
	for _, h := range have {
		if h.Name == name {
			return nil
		}
	}
	return fault.New(fault.NotFound, "You have no layout %q.", name)
}
