package org

import (
	"chela/internal/event"
	"chela/internal/fault"
)

// TourKind records where a person stands in the page's tour. It is the sender's own and lies in that person's
// stream.
var TourKind = event.Kind[Tour]{Name: "org.tour.moved", PayloadType: "org.tour.v1"}

// A Tour is where a person stands in the page's tour. Nobody who never began one has one.
type Tour struct {
	Step int  `json:"step" minimum:"1" maximum:"5" doc:"that is shown, or was shown last; the first is 1"`
	Over bool `json:"over" doc:"the tour was gone through or left"`
}

// TourSteps is how many steps the tour has. The page has the same (web/src/frame/tour.ts).
const TourSteps = 5

// CheckTour refuses a step that the tour does not have.
func CheckTour(t Tour) error {
	if t.Step < 1 || t.Step > TourSteps {
		return fault.BadField("step", "The tour has the steps 1 to 5.")
	}
	return nil
}
