package extract

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// asked are the reminders of a text, as they are meant on the day of the notes, or on Tuesday, 1 December 2026.
func askedFor(text string) string {
	var out []string
	for _, r := range ReadMinutes(text).Reminders {
		base := r.On
		if base.IsZero() {
			base = time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC)
		}
		day, minute, ok := r.At(base)
		when := day.Format(time.DateOnly)
		if often, at, is := r.Repeats(); is {
			minute, ok = at, true
			when = fmt.Sprintf("%s %+v", often.First(base).Format(time.DateOnly), often)
		}
		if minute >= 0 {
			when += fmt.Sprintf(" %02d:%02d", minute/60, minute%60)
		}
		out = append(out, strings.TrimSpace(fmt.Sprintf("%s %v %s/%s %s", when, ok, r.Who, r.Speaker, r.Text)))
	}
	return strings.Join(out, "; ")
}

func TestReminders_AreWhatATextAsksFor(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Remind me Thursday at 10 to call the bank":                         "2026-12-03 10:00 true / call the bank",
		"- remind me to call the bank on Friday at 9:30":                    "2026-12-04 09:30 true / call the bank",
		"Please remind Ann Lee on 2026-12-04 to renew the certificate":      "2026-12-04 true Ann Lee/ renew the certificate",
		"reminder for Ann: renew the certificate on 2026-12-04":             "2026-12-04 true Ann/ renew the certificate",
		"Reminder for Ann (Friday): renew the certificate":                  "2026-12-04 true Ann/ renew the certificate",
		"Joe: remind me tomorrow at 3pm to check the logs":                  "2026-12-02 15:00 true /Joe check the logs",
		"Set a reminder for Friday at 9 to order the cake":                  "2026-12-04 09:00 true / order the cake",
		"Remind me in two weeks to review the plan":                         "2026-12-15 true / review the plan",
		"Remind me at 4 to call":                                            "2026-12-01 16:00 true / call",
		"Erinnere mich am Donnerstag um 10 Uhr daran, die Bank anzurufen":   "2026-12-03 10:00 true / die Bank anzurufen",
		"Erinnerung für Ann: Zertifikat erneuern am 4.12.2026":              "2026-12-04 true Ann/ Zertifikat erneuern",
		"# Weekly 2026-11-23\n\n- Remind me on Thursday to send the report": "2026-11-26 true / send the report",
		"Remind me about the audit on 5 December":                           "2026-12-05 true / the audit",
		"Remind us on Dec 4 at noon to vote":                                "2026-12-04 12:00 true / vote",
		"Remind me every Friday at 4 to send the report":                    "2026-12-04 {Days:7 Weekday:Friday Weekdays:false MonthDay:0} 16:00 true / send the report",
		"Remind us to send the report every Friday":                         "2026-12-04 {Days:7 Weekday:Friday Weekdays:false MonthDay:0} true / send the report",
		"Remind me daily at 9 to look at the board":                         "2026-12-01 {Days:1 Weekday:Sunday Weekdays:false MonthDay:0} 09:00 true / look at the board",
		"Remind me each month on the 1st to pay the rent":                   "2026-12-01 {Days:0 Weekday:Sunday Weekdays:false MonthDay:1} true / pay the rent",
		"Remind Ann Lee on the 15th of each month at 9:30 to send invoices": "2026-12-15 {Days:0 Weekday:Sunday Weekdays:false MonthDay:15} 09:30 true Ann Lee/ send invoices",
		"Reminder for Ann (every weekday at 8:30): open the doors":          "2026-12-01 {Days:0 Weekday:Sunday Weekdays:true MonthDay:0} 08:30 true Ann/ open the doors",
		"Joe: remind me on the last day of every month about the books":     "2026-12-31 {Days:0 Weekday:Sunday Weekdays:false MonthDay:31} true /Joe the books",
		"Erinnere mich jeden Freitag um 9 an den Bericht":                   "2026-12-04 {Days:7 Weekday:Friday Weekdays:false MonthDay:0} 09:00 true / den Bericht",
		"Remind me every other Friday to send it":                           "",
		"Remind me to send it every other Friday":                           "",
		"Remind me to send it every two weeks on Friday":                    "",
		"Remind me every week to send it":                                   "",
		"Remind me every hour to drink":                                     "",
		"We send the report every Friday":                                   "",
		"Daily at 9":                                                        "",
		"Reminder: the offsite is on Friday":                                "",
		"Remind me to call the bank":                                        "",
		"He reminded Joe on Friday to call the bank":                        "",
		"Nobody reminded me on Friday to call":                              "",
		"Can you remind me Thursday to call?":                               "",
		"Remind me if the build fails on Friday":                            "",
		"Remind Jenkins on Friday to build":                                 "",
		"This reminds me of Friday":                                         "",
		"Remind me next quarter to look at it":                              "",
		"~~Remind me Thursday to call the bank~~":                           "",
		"Remind the team on Friday to log their hours":                      "",
		"They should remind Ann on Friday":                                  "",
	} {
		if got := askedFor(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

func FuzzReminders(f *testing.F) {
	f.Add("Remind me Thursday at 10 to call the bank\nreminder for Ann: renew it on 2026-12-04")
	f.Fuzz(func(t *testing.T, text string) {
		if r, ok := remindIn(dayFirst, text); ok {
			if r.Text == "" || r.When == "" {
				t.Errorf("%+v", r)
			}
			if _, minute, ok := r.At(time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC)); ok && (minute < -1 || minute >= 24*60) {
				t.Errorf("%+v is at minute %d", r, minute)
			}
		}
	})
}

// FuzzReadRepeat: what is read is one thing, and comes on a day within a month that fits it.
func FuzzReadRepeat(f *testing.F) {
	for _, s := range []string{"every Friday at 9", "daily at 9", "each month on the 1st", "on the 31st of every month", "weekdays at 8:30", "jeden Monat am 1.", "freitags um 9", "every month on the 32nd", "at 9 every day"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		r, minute, ok := ReadRepeat(text)
		if !ok {
			return
		}
		said := 0
		for _, is := range []bool{r.Days == 1, r.Days == 7, r.Weekdays, r.MonthDay >= 1 && r.MonthDay <= 31} {
			if is {
				said++
			}
		}
		if said != 1 || minute < -1 || minute >= 24*60 {
			t.Fatalf("%q is %+v at %d", text, r, minute)
		}
		from := time.Date(2026, 2, 27, 0, 0, 0, 0, time.UTC)
		if day := r.First(from); day.Before(from) || day.Sub(from) > 31*24*time.Hour {
			t.Fatalf("%q comes first on %s", text, day)
		}
	})
}
