package browser

// What reads /proc.
var (
	StatOf      = statOf
	StatusField = statusField
)
