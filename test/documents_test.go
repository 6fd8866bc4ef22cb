package test

import (
	"time"

	"chela/demo"
)

// documents are the demo's, as they are on a day of which the tests know the dates.
var documents = demo.On(time.Date(2026, 3, 11, 0, 0, 0, 0, time.UTC))
