package extract_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"chela/internal/extract"
)

// on is the day on which the sentences are said: a Friday.
var on = time.Date(2026, 2, 27, 0, 0, 0, 0, time.UTC)

// saidAway is what a sentence says, as "Ann 2026-03-03 2026-03-14".
func saidAway(sentence, speaker string, day time.Time) string {
	var out []string
	for _, a := range extract.AwayIn(sentence, speaker, day) {
		out = append(out, fmt.Sprintf("%s %s %s", a.Who, a.From.Format(time.DateOnly), a.To.Format(time.DateOnly)))
	}
	return strings.Join(out, "; ")
}

func TestAwayIn_SaysWhoIsAwayWhen(t *testing.T) {
	t.Parallel()
	for sentence, want := range map[string]string{
		"Ann is on vacation 3-14 March":                                "Ann 2026-03-03 2026-03-14",
		"- **Ann** is on vacation from 3 to 14 March.":                 "Ann 2026-03-03 2026-03-14",
		"Ann Lee will be on holiday from the 3rd to the 14th of March": "Ann Lee 2026-03-03 2026-03-14",
		"Ann is on leave March 3-14, Bob covers":                       "Ann 2026-03-03 2026-03-14",
		"Ann is on leave between March 3 and March 14":                 "Ann 2026-03-03 2026-03-14",
		"Ann is out 2026-03-03 to 2026-03-14":                          "Ann 2026-03-03 2026-03-14",
		"Ann's out of office Mar 30 – Apr 2":                           "Ann 2026-03-30 2026-04-02",
		"Ann is on parental leave 22 December to 5 January":            "Ann 2026-12-22 2027-01-05",
		"Ann is on vacation 22 December to 5 January 2028":             "Ann 2027-12-22 2028-01-05",
		"Ann is on vacation 4-8 May":                                   "Ann 2026-05-04 2026-05-08",
		"Tom: out next week":                                           "Tom 2026-03-02 2026-03-06",
		"* Tom – PTO 9 to 11 March":                                    "Tom 2026-03-09 2026-03-11",
		"Tom (out next week)":                                          "Tom 2026-03-02 2026-03-06",
		"@tom is out next week":                                        "",
		"@Tom is out next week":                                        "Tom 2026-03-02 2026-03-06",
		"Tom and Eva are out next week.":                               "Tom 2026-03-02 2026-03-06; Eva 2026-03-02 2026-03-06",
		"Tom is off on Tuesday":                                        "Tom 2026-03-03 2026-03-03",
		"Tom is out tomorrow":                                          "Tom 2026-02-28 2026-02-28",
		"Tom takes Monday off":                                         "Tom 2026-03-02 2026-03-02",
		"Tom is taking vacation the week of 9 March":                   "Tom 2026-03-09 2026-03-13",
		"Tom is out Monday to Wednesday":                               "Tom 2026-03-02 2026-03-04",
		"Tom is out of the office until 6 March":                       "Tom 2026-02-27 2026-03-06",
		"Tom is away the rest of the week":                             "Tom 2026-02-27 2026-02-27",
		"Next week Tom is out":                                         "Tom 2026-03-02 2026-03-06",
		"From 3 to 14 March, Ann is on vacation":                       "Ann 2026-03-03 2026-03-14",
		"Ann is out 3/14/2026":                                         "Ann 2026-03-14 2026-03-14",
		"Joe ist vom 3. bis 14. März im Urlaub":                        "Joe 2026-03-03 2026-03-14",
		"Joe ist vom 3.3. bis 14.3.2026 nicht da":                      "Joe 2026-03-03 2026-03-14",
		"Joe ist im Urlaub vom 3. bis zum 14. März.":                   "Joe 2026-03-03 2026-03-14",
		"Joe ist nächste Woche nicht im Büro":                          "Joe 2026-03-02 2026-03-06",
		"Joe: Urlaub 3.–14. März":                                      "Joe 2026-03-03 2026-03-14",
		"Joe hat am Dienstag frei":                                     "Joe 2026-03-03 2026-03-03",
		"Joe nimmt vom 9. bis 11. März frei":                           "Joe 2026-03-09 2026-03-11",
		"Joe fehlt morgen":                                             "Joe 2026-02-28 2026-02-28",
		"Joe fehlt in KW 12":                                           "Joe 2026-03-16 2026-03-20",
		"Joe fällt nächste Woche aus":                                  "Joe 2026-03-02 2026-03-06",
		"Jörg und Änne sind am 5. März abwesend":                       "Jörg 2026-03-05 2026-03-05; Änne 2026-03-05 2026-03-05",
		"Nächste Woche ist Joe nicht da":                               "Joe 2026-03-02 2026-03-06",
		"Vom 3. bis 14. März ist Joe in Elternzeit":                    "Joe 2026-03-03 2026-03-14",
		"Joe ist bis 6. März krankgeschrieben":                         "Joe 2026-02-27 2026-03-06",
		"Joe macht vom 3.-14.3. Urlaub":                                "Joe 2026-03-03 2026-03-14",
	} {
		if got := saidAway(sentence, "", on); got != want {
			t.Errorf("%q: %q, want %q", sentence, got, want)
		}
	}
}

func TestAwayIn_WhoSpeaksIsI(t *testing.T) {
	t.Parallel()
	for sentence, want := range map[string]string{
		"I'm on vacation 3-14 March":               "Tom 2026-03-03 2026-03-14",
		"I will be out of office next week":        "Tom 2026-03-02 2026-03-06",
		"Out next week":                            "Tom 2026-03-02 2026-03-06",
		"OOO tomorrow":                             "Tom 2026-02-28 2026-02-28",
		"Ich bin vom 3. bis 14. März im Urlaub":    "Tom 2026-03-03 2026-03-14",
		"Bin nächste Woche nicht da":               "Tom 2026-03-02 2026-03-06",
		"Nächste Woche bin ich im Urlaub":          "Tom 2026-03-02 2026-03-06",
		"Urlaub vom 3. bis 14. März":               "Tom 2026-03-03 2026-03-14",
		"Ann is on vacation 3-14 March":            "Ann 2026-03-03 2026-03-14",
		"I'm out of ideas for next week":           "",
		"I'm on it next week":                      "",
		"I'm not out next week":                    "",
		"Am I out next week?":                      "",
		"Ich bin nächste Woche wieder im Haus":     "",
		"Ich bin am 3. März im Büro":               "",
		"Out of scope next week":                   "",
		"Off topic: next week is the release":      "",
		"I was on vacation 3-14 February":          "",
		"Ich war vom 3. bis 14. Februar im Urlaub": "",
	} {
		if got := saidAway(sentence, "Tom", on); got != want {
			t.Errorf("%q: %q, want %q", sentence, got, want)
		}
	}
	if got := saidAway("I'm on vacation 3-14 March", "", on); got != "" {
		t.Errorf("nobody speaks: %q", got)
	}
}

func TestAwayIn_SaysNothingWhereItIsNotSure(t *testing.T) {
	t.Parallel()
	for _, sentence := range []string{
		"Is Ann on vacation 3-14 March?",
		"Ann is on vacation 3-14 March?",
		"Who is out next week?",
		"Ann is not on vacation 3-14 March",
		"Ann isn't on vacation next week",
		"Ann is no longer out next week",
		"Ann won't be out next week",
		"Ann's vacation 3-14 March is cancelled",
		"Ann is on vacation 3-14 March if the release is out",
		"Ann may be out next week",
		"Maybe Ann is on vacation 3-14 March",
		"Ann might take next week off",
		"Ann was on vacation 3-14 February",
		"Ann is on vacation 3-14 February 2026",
		"Ann has been out 3-14 March",
		"Ann is back from vacation on 3 March",
		"Ann is on vacation",
		"Ann is on vacation from 3 March",
		"Ann is on vacation in March",
		"Ann is on vacation soon",
		"Ann is out Tuesday afternoon",
		"Ann is out tomorrow from 2 pm",
		"Ann is out on Friday",   // today is one
		"Ann is out next Friday", // this one's, or the one after
		"Ann is out on 3/4/2026", // two days may be meant
		"Ann is out on Fridays",
		"Ann is out every Monday",
		"Ann is out of milk next week",
		"Ann is away from the topic 3-14 March",
		"Ann is on vacation 14-3 March",
		"Ann is on vacation 30-31 February",
		"The release is out next week's Monday",
		"Tom: the server is out next week",
		"Tom: out of scope for next week",
		"We are out next week",
		"Vacation planning next week",
		"~~Ann is on vacation 3-14 March~~",
		"Ist Joe vom 3. bis 14. März im Urlaub?",
		"Joe ist vom 3. bis 14. März nicht im Urlaub",
		"Joe ist nächste Woche doch da",
		"Joe war vom 3. bis 14. Februar im Urlaub",
		"Joe ist vielleicht nächste Woche im Urlaub",
		"Falls Joe nächste Woche im Urlaub ist, hilft Eva",
		"Joe hat keinen Urlaub vom 3. bis 14. März",
		"Joe ist ab 3. März im Urlaub",
		"Joe ist am Dienstagnachmittag nicht da",
		"Joe ist am Dienstag ab 14 Uhr weg",
		"Joe ist nächste Woche wieder da",
		"Joe ist nächste Woche im Büro",
		"Joe hat nächste Woche Bereitschaft",
		"Joe nimmt das Ticket nächste Woche",
	} {
		if got := saidAway(sentence, "", on); got != "" {
			t.Errorf("%q: %q, want nothing", sentence, got)
		}
	}
	if got := saidAway("Ann is on vacation 3-14 March", "", time.Time{}); got != "" {
		t.Errorf("without a day of the notes a day without its year is %q", got)
	}
	if got := saidAway("Ann is on vacation 3-14 March 2026", "", time.Time{}); got != "Ann 2026-03-03 2026-03-14" {
		t.Errorf("with its year it is %q", got)
	}
}

// TestReadMinutes_Absences: absences of minutes and of chats have their lines, and are counted from the day of the notes or of the message.
func TestReadMinutes_Absences(t *testing.T) {
	t.Parallel()
	says := func(text string) string {
		var out []string
		for _, a := range extract.ReadMinutes(text).Absences {
			if !strings.Contains(strings.Split(text, "\n")[a.Span.Line-1], a.Span.Quote) {
				t.Errorf("line %d of %q is not %q", a.Span.Line, text, a.Span.Quote)
			}
			out = append(out, fmt.Sprintf("%d %s %s %s", a.Span.Line, a.Who, a.From.Format(time.DateOnly), a.To.Format(time.DateOnly)))
		}
		return strings.Join(out, "; ")
	}
	for text, want := range map[string]string{
		"# Weekly 2026-02-27\n\nAttendees: Ann, Tom, Joe\n\n## Notes\n- Ann is on vacation 3-14 March\n- Tom: out next week\n- Is Tom out on Monday?\n\nJoe is away 9 to 11 March. The release slips.\n": "6 Ann 2026-03-03 2026-03-14; 7 Tom 2026-03-02 2026-03-06; 10 Joe 2026-03-09 2026-03-11",
		"# Protokoll 27.02.2026\n\nAnwesend: Joe, Eva\n\nJoe ist vom 3. bis 14. März im Urlaub.\nJoe ist vom 3. bis 14. März im Urlaub.\n":                                                               "5 Joe 2026-03-03 2026-03-14",
		"# Weekly\n\nAttendees: Ann, Tom\n\nTom is out next week.\nAnn is out 3 to 14 March 2026.\n":                                                                                                     "6 Ann 2026-03-03 2026-03-14",
		"[27.02.26, 09:15:02] Tom Becker: Morning all\n[27.02.26, 09:16:10] Ann Lee: I'm on vacation 3-14 March\n[01.03.26, 10:01:00] Tom Becker: Out tomorrow\n[01.03.26, 10:02:00] Ann Lee: Ok\n":      "2 Ann Lee 2026-03-03 2026-03-14; 3 Tom Becker 2026-03-02 2026-03-02",
	} {
		if got := says(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func FuzzAwayIn(f *testing.F) {
	for _, s := range []string{"Ann is on vacation 3-14 March", "Joe ist vom 3. bis 14. März im Urlaub", "Out next week", "Tom: KW 12 frei", "From 3/14/2026 to 3/15/2026 Ann is out"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, sentence string) {
		for _, a := range extract.AwayIn(sentence, "Tom", on) {
			if a.Who == "" || a.From.IsZero() || a.To.Before(a.From) || a.To.Before(on) || a.To.Sub(a.From) > 366*24*time.Hour {
				t.Errorf("%q: %+v", sentence, a)
			}
		}
	})
}
