package desk

import "testing"

// TestNamed_ShowsWhatIsWritten holds that no name orders its letters otherwise than they are written, and that languages which are written
// from the right keep their marks.
func TestNamed_ShowsWhatIsWritten(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		" invoice\u202efdp.exe ": "invoicefdp.exe",
		"\u2066a\u2069 \u202bb":  "a b",
		"\u202e":                 "",
		"שלום\u200f!":            "שלום\u200f!",
		"e\u0301":                "é",
	} {
		if got := named(in); got != want {
			t.Errorf("%+q: got %+q, want %+q", in, got, want)
		}
	}
}
