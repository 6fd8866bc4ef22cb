package extract_test

import (
	"slices"
	"strings"
	"testing"

	"chela/internal/extract"
)

// heardIn tells who spoke, what was decided and who is to do what until when.
func heardIn(text string) (out []string) {
	m := extract.ReadMinutes(text)
	for _, s := range m.Speakers {
		out = append(out, "says "+s.Name)
	}
	for _, d := range m.Decisions {
		out = append(out, "decided "+d.Text)
	}
	for _, a := range m.Actions {
		out = append(out, strings.TrimSpace(a.Owner+" "+date(a.Due))+": "+a.Text)
	}
	return out
}

func TestChats_SayWhoseWordsFollow(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text string
		want []string
	}{
		"Slack, in lines of their own": {
			"Priya Raman\n  9:02 AM\nmorning all :wave:\n9:03\nStripe is late\n:thumbsup: 3\n\nTom Becker\n  9:05 AM\nI'll update the runbook by 2 December\n(edited)\n\nLena Vogt (she/her)\n  9:10 AM\nok so decision: the cutover moves to Thursday\n",
			[]string{"says Priya Raman", "says Tom Becker", "says Lena Vogt", "decided the cutover moves to Thursday", "Tom Becker: update the runbook by 2 December"},
		},
		"a program": {
			"Tom Becker\n  9:05 AM\nI'll update the runbook\n\nSentry\nAPP  9:07 AM\n@Lena Vogt please review the issue by Friday\nWe decided to page you\n\nLena Vogt\n  9:10 AM\nI'll look into it\n",
			[]string{"says Tom Becker", "says Lena Vogt", "Tom Becker: update the runbook", "Lena Vogt: look into it"},
		},
		"Teams, the hour first": {
			"Sarah Connor  11/24/2026 2:03 PM\nHi team\n[2:05 PM] Ben Okafor\nI can take the copy changes, will have them ready by Wednesday.\n[2:07 PM] Ben Okafor (Guest)\nlike 1\n",
			[]string{"says Sarah Connor", "says Ben Okafor", "Ben Okafor 2026-11-25: take the copy changes, will have them ready by Wednesday."},
		},
		"Teams, day and hour first": {
			"[24.11.2026 09:14] Jonas Weber\nGuten Morgen\n[25.11.2026 09:15] Katrin Scholz\nIch schicke es bis morgen rum.\n",
			[]string{"says Jonas Weber", "says Katrin Scholz", "Katrin Scholz 2026-11-26: Ich schicke es bis morgen rum."},
		},
		"Teams, in lines of their own": {
			"Sarah Connor\n11/24/2026 2:03 PM\nHi team\nBen Okafor\n11/24/2026 2:05 PM\nI'll send the draft tomorrow\n",
			[]string{"says Sarah Connor", "says Ben Okafor", "Ben Okafor 2026-11-25: send the draft tomorrow"},
		},
		"Telegram": {
			"Olga Petrova, [24 Nov 2026 at 14:02:33]:\nHi! The disk is full again\n\nIvan, [24 Nov 2026 at 14:03:10]:\nI'll clean it up by Friday\n",
			[]string{"says Olga Petrova", "says Ivan", "Ivan 2026-11-27: clean it up by Friday"},
		},
		"Discord": {
			"kaz — 11/24/2026 3:12 PM\nso are we shipping?\nmaru\n — 11/24/2026 3:13 PM\nI'll write the changelog by Friday\nMEE6\nBOT\n — 11/24/2026 3:16 PM\nGG @kaz, please claim the reward by tomorrow\nkaz — 11/24/2026 3:17 PM\nok decided, 0.9 goes out next Monday\n",
			[]string{"says kaz", "says maru", "decided 0.9 goes out next Monday", "maru 2026-11-27: write the changelog by Friday"},
		},
		"WhatsApp, over two days": {
			"[24/11/2026, 18:03:40] Rob: I'll book the venue tomorrow\n\u200e[26/11/2026, 6:04:02\u202fPM] Nina: I'll order the cake tomorrow\n",
			[]string{"says Rob", "says Nina", "Rob 2026-11-25: book the venue tomorrow", "Nina 2026-11-27: order the cake tomorrow"},
		},
		"Zoom's chat": {
			"10:02:03 From Priya Raman to Everyone:\n\tI'll share the deck after this\n10:02:30 From Tom Becker to Everyone:\n\tthanks\n",
			[]string{"says Priya Raman", "says Tom Becker", "Priya Raman: share the deck after this"},
		},
		"comments of a tracker": {
			"ABC-12 Fix the login\nComment by Lena Vogt, 24/Nov/26 10:12 AM\nI'll send the logs tomorrow.\nTom Becker added a comment - 25/Nov/26 9:00 AM\nWe agreed to roll this out behind a flag.\n",
			[]string{"says Lena Vogt", "says Tom Becker", "decided We agreed to roll this out behind a flag.", "Lena Vogt 2026-11-25: send the logs tomorrow."},
		},
		"an answer below an empty line": {
			"Grace Lin\n0:03\nAnd can you also ask the vendor about support?\n\nOmar Haddad\n1:02:20\nSure.\n",
			[]string{"says Grace Lin", "says Omar Haddad", "Omar Haddad: ask the vendor about support"},
		},
		"until when stands in a sentence of its own": {
			"Sarah Connor  11/24/2026 2:03 PM\nLet's go with option B for the signup page.\n[2:08 PM] Sarah Connor\nAisha, could you check whether the analytics events still fire? By next Tues would be great.\n[2:10 PM] Aisha Khan\nYes, on it.\n",
			[]string{"says Sarah Connor", "says Aisha Khan", "decided Let's go with option B for the signup page.", "Aisha Khan 2026-12-01: check whether the analytics events still fire, By next Tues would be great"},
		},
		"somebody takes them": {
			"bob 9:13 AM\ncan someone take the release notes?\ncarol 9:14 AM\nI'll take them\n",
			[]string{"says bob", "says carol", "carol: take the release notes"},
		},
		"a log in which names lead answers": {
			"09:13 <bob> alice: can you review #123 today?\n09:14 <alice> bob: sure\n",
			[]string{"says bob", "says alice", "alice: review #123 today"},
		},
		"an agenda is none": {"Planning\n10:00 AM\nBudget\n10:30 AM\nHiring\n11:00 AM\n", nil},
	} {
		if got := heardIn(c.text); !slices.Equal(got, c.want) {
			t.Errorf("%s gives %q, want %q", name, got, c.want)
		}
		quotesStand(t, c.text)
	}
}

func TestMentions_NameInFull(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		"Date: 2026-11-24\n\n## Action items\n\n- [ ] Enable the cache @Kofi Mensah @November 30, 2026\n- [ ] Write the RFC @Wei Zhang @next Friday\n- [x] Upgrade runners @Lara Stein\n": {
			"Kofi Mensah 2026-11-30: Enable the cache", "Wei Zhang 2026-11-27: Write the RFC", "Lara Stein: Upgrade runners",
		},
		"Date: 2026-11-24\n\n## Action items\n\n- [ ] @Kofi Mensah check the VAT display - due Friday\n- [ ] Go through the plan with @Kofi Mensah\n": {
			"Kofi Mensah 2026-11-27: check the VAT display - due Friday", ": Go through the plan with @Kofi Mensah",
		},
		"Date: 2026-11-24\n\nTODO @Bo Chen: confirm with the customer by Friday\n": {"Bo Chen 2026-11-27: confirm with the customer by Friday"},
		"Date\n24 Nov 2026\nParticipants\n@Hannah Price\n@Devon Clarke\nAction items\n@Devon Clarke draft the addendum 04 Dec 2026\n@Hannah Price ask infra for a bucket\n": {
			"Devon Clarke 2026-12-04: draft the addendum", "Hannah Price: ask infra for a bucket",
		},
	} {
		if got := heardIn(text); !slices.Equal(got, want) {
			t.Errorf("%q gives %q, want %q", text, got, want)
		}
	}
}

func TestCopies_WithoutEmptyLines(t *testing.T) {
	t.Parallel()
	m := extract.ReadMinutes("Nov 24, 2026 | Growth sync\nAttendees: Lara Stein, Kofi Mensah\nAction items\n☐ Lara to prepare the comms by Nov 27\nOpen questions\nDo we grandfather customers?\nNext meeting: Dec 1\n")
	if m.Title == "Action items" || len(m.Actions) != 1 || len(m.Questions) != 1 || m.Questions[0].Text != "Do we grandfather customers?" {
		t.Errorf("title %q, actions %v, questions %v", m.Title, m.Actions, m.Questions)
	}
	if got := extract.ReadMinutes("Date\n24 Nov 2026\nParticipants\n@Hannah Price\n").Title; got != "" {
		t.Errorf("the title is %q", got)
	}
	stand := heardIn("Standup 2026-11-24\n\n*Sam*\nYesterday: finished the retries\nBlockers: none\n\n*Lena*\nToday: will finish the invoice export\n")
	if want := []string{"Lena: finish the invoice export"}; !slices.Equal(stand, want) {
		t.Errorf("the stand-up gives %q, want %q", stand, want)
	}
}

func TestTables_WhatIsNoAction(t *testing.T) {
	t.Parallel()
	m := extract.ReadMinutes("# Retro 2026-11-24\n\n## Action items\n\n| Action | Who | When |\n|---|---|---|\n| Clean up the flags | everyone | Fri 11 Dec |\n| Do we need a second region? | | |\n")
	if len(m.Actions) != 1 || m.Actions[0].Owner != "" || date(m.Actions[0].Due) != "2026-12-11" || len(m.Questions) != 1 {
		t.Errorf("actions %v, questions %v", m.Actions, m.Questions)
	}
}

func TestActions_BetweenBars(t *testing.T) {
	t.Parallel()
	text := "Review, 25 November 2026\nPresent: Dana Kim, Miguel Santos, Sofia Rossi\n\nAction items\nP1 | Add the alert | Miguel | 2 Dec\nP2 | Canary pipeline | Dana | KW 50\nP2 | Update the runbook | Sofia | done\n"
	want := []string{"Miguel Santos 2026-12-02: Add the alert", "Dana Kim 2026-12-11: Canary pipeline", "Sofia Rossi: Update the runbook"}
	if got := heardIn(text); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if m := extract.ReadMinutes(text); !m.Actions[2].Done {
		t.Error("what is done is open")
	}
}
