package extract_test

import (
	"slices"
	"testing"

	"chela/internal/extract"
)

func letterActions(text string) (out []string) {
	for _, a := range extract.ReadMinutes(text).Actions {
		due := "-"
		if !a.Due.IsZero() {
			due = a.Due.Format("2006-01-02")
		}
		out = append(out, a.Owner+"|"+due+"|"+a.Text)
	}
	return out
}

const letterHead = "Subject: Contract\nFrom: Ann Lee\nTo: Joe Martinez\nDate: Mon, 30 Nov 2026 10:00:00 +0000\n\n"

func TestLetters_ARequestIsTheAddressees(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		letterHead + "Hi Joe,\n\nplease send me the signed contract by Wednesday. I'll forward it to legal on Thursday.\n\nBest,\nAnn\n": {
			"Joe Martinez|2026-12-02|send me the signed contract by Wednesday.", "Ann Lee|2026-12-03|forward it to legal on Thursday.",
		},
		letterHead + "Hi Joe, please send me the signed contract by Wednesday.\n":                                                                                      {"Joe Martinez|2026-12-02|send me the signed contract by Wednesday."},
		letterHead + "Please send me the signed contract by Wednesday.\n\nThanks,\nAnn\n":                                                                              {"Joe Martinez|2026-12-02|send me the signed contract by Wednesday."},
		letterHead + "Hi Joe,\n\ncould you please review the draft by Friday?\n\nAnn\n":                                                                                {"Joe Martinez|2026-12-04|review the draft by Friday"},
		letterHead + "Hi Joe,\n\nplease find the contract attached. Please note that it is a draft.\n\nBest,\nAnn\n":                                                   nil,
		"From: Ann Lee\nTo: Joe Martinez, Tom Berg\nDate: Mon, 30 Nov 2026 10:00:00 +0000\n\nHi Joe and Tom,\n\nplease send me the plan by Wednesday.\n\nBest,\nAnn\n": {"Joe Martinez, Tom Berg|2026-12-02|send me the plan by Wednesday."},
		"From: Ann Lee\nTo: Joe Martinez, Tom Berg\nDate: Mon, 30 Nov 2026 10:00:00 +0000\n\nHi all,\n\nplease send me the plan by Wednesday.\n\nBest,\nAnn\n":         nil,
		"Von: Anna Lenz\nAn: Jonas Meyer\nDatum: 30.11.2026\n\nHallo Jonas,\n\nbitte schick mir den Vertrag bis Mittwoch.\n\nViele Grüße\nAnna\n":                      {"Jonas Meyer|2026-12-02|bitte schick mir den Vertrag bis Mittwoch."},
	} {
		if got := letterActions(text); !slices.Equal(got, want) {
			t.Errorf("%q gives %q, want %q", text, got, want)
		}
	}
}

func TestLetters_WhatIsQuotedIsItsWriters(t *testing.T) {
	t.Parallel()
	body := letterHead + "Hi Joe,\n\nI'll forward it to legal on Thursday.\n\nBest,\nAnn\n\n"
	mine := "Ann Lee|2026-12-03|forward it to legal on Thursday."
	for text, want := range map[string][]string{
		"On Thu, 26 Nov 2026 at 10:11, Joe Martinez <joe@example.org> wrote:\n> I will pay the invoice tomorrow.\n>\n> Joe\n":                                       {mine, "Joe Martinez|2026-11-27|pay the invoice tomorrow."},
		"On Thu, 26 Nov 2026 at 10:11, Joe Martinez\n<joe@example.org> wrote:\n\n> I will pay the invoice tomorrow.\n":                                              {mine, "Joe Martinez|2026-11-27|pay the invoice tomorrow."},
		"On Thu, Joe Martinez wrote:\n> I will pay the invoice tomorrow.\n":                                                                                         {mine, "Joe Martinez|2026-11-27|pay the invoice tomorrow."},
		"On 26 Nov 2026, Joe Martinez wrote:\n> I will pay the invoice tomorrow.\n> On 25 Nov 2026, Ann Lee wrote:\n>> I will send the invoice tomorrow.\n":         {mine, "Joe Martinez|2026-11-27|pay the invoice tomorrow.", "Ann Lee|2026-11-26|send the invoice tomorrow."},
		"On Thu, Nov 26, 2026 at 10:11 AM Joe Martinez <joe@example.org> wrote:\n\n> I will pay the invoice tomorrow.\n":                                            {mine, "Joe Martinez|2026-11-27|pay the invoice tomorrow."},
		"From: Joe Martinez <joe@example.org>\nSent: Thursday, November 26, 2026 10:11 AM\nTo: Ann Lee\nSubject: Contract\n\nI will pay the invoice tomorrow.\n":    {mine, "Joe Martinez|2026-11-27|pay the invoice tomorrow."},
		"Am 26.11.2026 um 10:11 schrieb Joe Martinez:\n> I will pay the invoice tomorrow.\n":                                                                        {mine, "Joe Martinez|2026-11-27|pay the invoice tomorrow."},
		"On Thu, 26 Nov 2026, joe@example.org wrote:\n> I will pay the invoice tomorrow.\n":                                                                         {mine},
		"-----Original Message-----\nFrom: Joe Martinez\nSent: Thursday, 26 November 2026 10:11\nTo: Ann Lee\nSubject: Re: x\n\nI will pay the invoice tomorrow.\n": {mine, "Joe Martinez|2026-11-27|pay the invoice tomorrow."},
	} {
		if got := letterActions(body + text); !slices.Equal(got, want) {
			t.Errorf("%q gives %q, want %q", text, got, want)
		}
	}
}

func TestLetters_BelowAQuoteItIsTheWriterAgain(t *testing.T) {
	t.Parallel()
	text := letterHead + "On Thu, 26 Nov 2026, Joe Martinez wrote:\n> I will pay the invoice tomorrow.\n\nThanks! I'll forward it to legal on Thursday.\n\nBest,\nAnn\n"
	if got, want := letterActions(text), []string{"Joe Martinez|2026-11-27|pay the invoice tomorrow.", "Ann Lee|2026-12-03|forward it to legal on Thursday."}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestLetters_OneThatWasForwardedAloneIsTheLetter(t *testing.T) {
	t.Parallel()
	text := "---------- Forwarded message ---------\nFrom: Customer Success <cs@example.org>\nDate: Fri, Nov 20, 2026 at 9:14 AM\nSubject: No login\nTo: Mia Lund <mia@example.org>\n\n\nHello Mia,\n\nour users cannot log in. Please fix this by Monday.\n\nKind regards,\nPeter Novak\n"
	if got, want := letterActions(text), []string{"Mia Lund|2026-11-23|fix this by Monday."}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestLetters_TheirDayIsThatOfOutlook(t *testing.T) {
	t.Parallel()
	text := "Von: Petra Lang <petra@example.org>\nGesendet: Mittwoch, 25. November 2026 08:12\nAn: Jonas Weber\nBetreff: AW: Budget\n\nHallo Jonas,\n\nbitte schick mir den Vertrag bis Freitag.\nOffen ist noch, ob wir zwei oder drei Stellen ausschreiben.\n\nViele Grüße\nPetra\n\nVon: Jonas Weber <jonas@example.org>\nGesendet: Dienstag, 24. November 2026 17:40\nAn: Petra Lang\nBetreff: Budget\n\nHallo Petra,\nich schicke dir die Lizenzkosten morgen.\nGruß\nJonas\n"
	want := []string{"Jonas Weber|2026-11-27|bitte schick mir den Vertrag bis Freitag.", "Jonas Weber|2026-11-25|ich schicke dir die Lizenzkosten morgen."}
	if got := letterActions(text); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	m := extract.ReadMinutes(text)
	if len(m.Questions) != 1 || len(m.Speakers) != 0 {
		t.Errorf("questions %v, speakers %v", m.Questions, m.Speakers)
	}
}

func TestLetters_OfProgramsAskNobody(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"From: Grafana <alerts@grafana.example.org>\nTo: oncall@example.org\nDate: Wed, 25 Nov 2026 03:12:44 +0000\nSubject: [FIRING:1] HighMemory\n\nFiring: HighMemory\ndescription = Please check the pod and restart it if needed\n",
		"From: dependabot[bot] <notifications@github.com>\nTo: acme/web <web@example.org>\nDate: Mon, 23 Nov 2026 08:00:11 -0800\nSubject: Bump it\n\nDependabot will resolve any conflicts with this PR. We decided to bump it.\n- `@dependabot rebase` will rebase this PR\n",
	} {
		m := extract.ReadMinutes(text)
		if len(m.Actions)+len(m.Decisions)+len(m.Attendees) != 0 || m.Date.IsZero() {
			t.Errorf("%q on %v has actions %v, decisions %v, attendees %v", text, m.Date, m.Actions, m.Decisions, m.Attendees)
		}
	}
}

func TestLetters_AreTitledByWhatTheyAreAbout(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		letterHead + "Hi Joe,\n\nplease send it.\n":                                   "Contract",
		"From: Ann Lee\nTo: Joe\nSubject: Re: AW: The budget\n\nHi Joe,\n\nthanks.\n": "The budget",
		"BEGIN:VCALENDAR\nBEGIN:VTIMEZONE\nDTSTART:19700329T020000\nEND:VTIMEZONE\nBEGIN:VEVENT\nDTSTART;TZID=Europe/Berlin:20261201T100000\nSUMMARY:Q1 planning\nDESCRIPTION:Please add your topics by Monday.\nEND:VEVENT\nEND:VCALENDAR\n": "Q1 planning 2026-12-01",
	} {
		m := extract.ReadMinutes(text)
		if got := m.Title; got != want && got+" "+date(m.Date) != want {
			t.Errorf("%q is titled %q on %v, want %q", text, got, m.Date, want)
		}
	}
}

func TestLetters_TheCompanyStandsBehindTheName(t *testing.T) {
	t.Parallel()
	text := "Hi team,\n\nrecap of today's call with BigCo (25 Nov 2026):\n\n- Peter (BigCo) will share the metadata by Friday\n- Still open: who signs the contract?\n\nThanks\nDevon\n"
	if got, want := letterActions(text), []string{"Peter|2026-11-27|share the metadata by Friday"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if q := extract.ReadMinutes(text).Questions; len(q) != 1 || q[0].Text != "who signs the contract?" {
		t.Errorf("the questions are %v", q)
	}
}
