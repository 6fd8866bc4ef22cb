package extract_test

import (
	"testing"

	"chela/internal/extract"
)

func TestCalledOff(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"Cancelled: the summer offsite": "the summer offsite", "- [ ] Cancelled: Book the venue.": "Book the venue", "* Book the venue (cancelled)": "Book the venue",
		"Joe: cancelled: book the venue": "book the venue", "Book the venue is cancelled.": "Book the venue", "PAY-7 has been called off": "PAY-7", "Book the venue – no longer needed": "Book the venue",
		"- Ann: book the venue (no longer needed)": "Ann: book the venue", "Das Treffen buchen entfällt": "Das Treffen buchen", "Gestrichen: Raum buchen": "Raum buchen",

		"Postponed: the offsite": "", "The offsite is on hold": "", "Tell them that the offsite was cancelled by Joe": "", "Cancelled": "", "Cancel the subscription": "", "": "",
	} {
		if got, ok := extract.CalledOff(line); got != want || ok != (want != "") {
			t.Errorf("%q: got %q %v, want %q", line, got, ok, want)
		}
	}
}
