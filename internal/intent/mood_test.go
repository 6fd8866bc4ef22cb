package intent_test

import (
	"testing"

	"chela/internal/intent"
)

// shelf are workflows as they are deployed: a name, a description, an example or two.
func shelf() []intent.Intent {
	of := func(id, name, about string, examples ...string) intent.Intent {
		in := intent.Intent{ID: id, Phrases: []intent.Phrase{{Text: name, Weight: 0.9}, {Text: about, Weight: 0.6}}}
		for _, e := range examples {
			in.Phrases = append(in.Phrases, intent.Phrase{Text: e})
		}
		return in
	}
	return []intent.Intent{
		of("report", "Weekly status report", "Gathers tickets, milestones and blindspots, writes the status of the week, and has a person approve it.", "Send the weekly status", "What happened this week?"),
		of("incident", "Incident review", "Gathers what is known about an incident, writes a review and has it approved.", "Review the outage of last night", "We need an incident review"),
		of("bericht", "Wochenbericht", "Schreibt den Bericht der Woche.", "Schreib den Wochenbericht"),
		of("stop", "Stop a rollout", "Stops what is rolled out.", "Stop the rollout", "Do not roll it out any further"),
	}
}

func TestIndex_TellsWishesFromWhatIsNone(t *testing.T) {
	t.Parallel()
	x := intent.New(shelf(), nil)
	// Nothing is what must not begin, and a question mark what is to be confirmed at least.
	for text, want := range map[string]string{
		"Write the weekly status report":                                          "report",
		"Please write the weekly status report":                                   "report",
		"Weekly status report":                                                    "report",
		"Weekly status report, please":                                            "report",
		"What happened this week?":                                                "report",
		"Can you write the weekly status report?":                                 "report",
		"Could you please send the weekly status?":                                "report",
		"Could we run the incident review now?":                                   "incident",
		"Shall we run the incident review?":                                       "incident",
		"Why don't we run the incident review?":                                   "incident",
		"Can't you write the weekly status report?":                               "report",
		"Would you mind sending the weekly status?":                               "report",
		"How about an incident review?":                                           "incident",
		"Don't forget to send the weekly status report":                           "report",
		"Do the weekly status report":                                             "report",
		"We need an incident review":                                              "incident",
		"The outage is over. Run the incident review.":                            "incident",
		"Do not write the weekly status report, run the incident review":          "incident",
		"I already wrote the weekly status report, please run an incident review": "incident",
		"Kannst du den Wochenbericht schreiben?":                                  "bericht",
		"Könntest du bitte den Wochenbericht schreiben?":                          "bericht",
		"Vergiss nicht, den Wochenbericht zu schreiben":                           "bericht",
		"Write the weekly status report without the appendix":                     "report",
		"Could the weekly status report be written by tomorrow?":                  "report",
		"No, write the weekly status report":                                      "report",
		"I have no time, please write the weekly status report":                   "report",
		"Write the weekly status report, but not for Ben":                         "report",
		"We ran out of disk, run the incident review":                             "incident",
		"Schreib bitte einen nicht zu langen Wochenbericht":                       "bericht",
		"Schreib den Wochenbericht, aber nicht zu lang":                           "bericht",
		"Stop the rollout":                                                        "stop",
		"Please do not roll it out any further":                                   "stop",

		"Please do not write the weekly status report":                    "",
		"Do not, under any circumstances, write the weekly status report": "",
		"Don’t write the weekly status report":                            "",
		"No weekly report, please":                                        "",
		"No weekly status report":                                         "",
		"Not the weekly status report":                                    "",
		"Never send the weekly status":                                    "",
		"We do not need the weekly status report":                         "",
		"I don't want the weekly status report":                           "",
		"There is no need to send the weekly status":                      "",
		"Let's not run the incident review":                               "",
		"Can you please not send the weekly status report?":               "",
		"Stop the weekly status report":                                   "",
		"Please cancel the weekly status report":                          "",
		"Can you stop the weekly status report?":                          "",
		"Skip the weekly status report":                                   "",
		"I already wrote the weekly status report":                        "",
		"I wrote the weekly status report":                                "",
		"We have sent the weekly status report":                           "",
		"The weekly status report is done":                                "",
		"Weekly status report was great, thanks":                          "",
		"The incident review went well yesterday":                         "",
		"Is the weekly status report done?":                               "",
		"Weekly status report done?":                                      "",
		"Who wrote the weekly status report?":                             "",
		"When is the incident review?":                                    "",
		"Could you tell me who wrote the weekly status report?":           "",
		"Do we have a weekly status report?":                              "?",
		"Did somebody write the weekly status report?":                    "",
		"Will the weekly status report have numbers?":                     "?",
		"Do you know who wrote the weekly status report?":                 "",
		"Bitte keinen Wochenbericht schreiben":                            "",
		"Schreib den Wochenbericht nicht":                                 "",
		"Wir brauchen keinen Wochenbericht":                               "",
		"Ich habe den Wochenbericht schon geschrieben":                    "",
		"Ist der Wochenbericht fertig?":                                   "",
		"Wer hat den Wochenbericht geschrieben?":                          "",
		"Stopp den Wochenbericht":                                         "",
	} {
		got := x.Match(text, 3)
		switch {
		case want == "?":
			if len(got) > 0 && got[0].Confidence >= 0.9 {
				t.Errorf("%q is not confirmed first: %+v", text, got)
			}
		case want == "" && len(got) > 0 && (got[0].Confidence >= 0.4 || got[0].Unasked == ""):
			t.Errorf("%q begins %s: %.2f %q", text, got[0].ID, got[0].Confidence, got[0].Unasked)
		case want != "" && (len(got) == 0 || got[0].ID != want || got[0].Confidence < 0.4):
			t.Errorf("%q: %+v, want %s", text, got, want)
		}
	}
}
