package extract_test

import (
	"slices"
	"strings"
	"testing"

	"chela/internal/extract"
)

func TestWeighed_NamesOfALine(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"Present: Dr. Sinéad Byrne (chair), Sr Grace Nwosu, @mwoz, J. Pruitt": "Sinéad Byrne, Grace Nwosu, mwoz, J. Pruitt",
		"thanks to @Malgorzata Nowak and @ann":                                "Malgorzata Nowak, ann",
		"Dear Tereza,":                                                        "Tereza",
		"Dabei waren Wehrführer Detlef Behn":                                  "Detlef Behn",
		"anw: fx, lilith, Marek P., schorsch":                                 "fx, lilith, Marek P., schorsch",
		"Jan van Aalst and I saw Ida's O'Dea map":                             "Jan van Aalst, Ida, O'Dea",
		"we will write to them about the budget":                              "",
		"Monday: the team was there":                                          "",
	} {
		_, names := extract.Weighed(line, false)
		var got []string
		for _, n := range names {
			got = append(got, n.Name)
		}
		if is := strings.Join(got, ", "); is != want {
			t.Errorf("%q: %s, want %s", line, is, want)
		}
	}
}

// The reader adds whom the notes name as somebody who was there, and nobody else whom they name.
func TestReadWith_AddsWhoWasThere(t *testing.T) {
	t.Parallel()
	text := "Quiet garden group\n\nSorry you could not come! Jean, Derek, Pauline W and me sat in the drizzle. The plan of Mr Hopkinson hung on the wall.\n\n- Derek will bring the hoses on Friday\n"
	if rules := extract.ReadWith(text, nil).Attendees; len(rules) != 0 {
		t.Fatalf("the rules alone find %+v", rules)
	}
	var got []string
	for _, a := range extract.ReadMinutes(text).Attendees {
		got = append(got, a.Name)
		if a.Span.Line != 3 || !strings.Contains(text, a.Span.Quote) || !strings.Contains(a.Span.Quote, a.Name) {
			t.Errorf("%+v", a)
		}
	}
	if !slices.Equal(got, []string{"Jean", "Derek", "Pauline W"}) {
		t.Errorf("%q", got)
	}
}

// Who stands in a long list is there once, however many stand in it, and whatever else their names mean.
func TestReadWith_ALongListIsKept(t *testing.T) {
	t.Parallel()
	text := strings.Builder{}
	text.WriteString("# Plenary\n\nAttendees:\n\n")
	for _, given := range []string{"Ann", "Bo", "Cy", "Dee", "Eli", "Flo", "Gus", "Hal", "Ida", "Jon", "Kim", "Lou", "May", "Ned", "Ora", "Pia", "Ray", "Sue", "Ted", "Una", "Will", "Wes", "Xia", "Yan", "Zoe"} {
		for _, family := range []string{"Abel", "Brandt", "Cole", "Dahl", "Ek", "Fisk", "Gold", "Holm", "Ivers", "Janz"} {
			text.WriteString("* " + given + " " + family + "\n")
		}
	}
	text.WriteString("\nAnn Abel and Zoe Janz opened the meeting.\n")
	seen := make(map[string]int)
	for _, a := range extract.ReadMinutes(text.String()).Attendees {
		if seen[a.Name]++; seen[a.Name] > 1 {
			t.Errorf("%s is there %d times", a.Name, seen[a.Name])
		}
	}
	if len(seen) != 250 {
		t.Errorf("%d were there, want 250", len(seen))
	}
}

// A lone name in a text of which nothing says that it is the minutes of a meeting makes nobody an attendee.
func TestReadWith_AddsNobodyToOtherTexts(t *testing.T) {
	t.Parallel()
	if got := extract.ReadMinutes("The cache was designed by Marek Wolny.\n\nIt keeps pages for an hour.\n").Attendees; len(got) != 0 {
		t.Errorf("%+v", got)
	}
}
