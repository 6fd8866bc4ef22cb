package query_test

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"chela/internal/fault"
	"chela/internal/query"
)

var now = time.Date(2026, 3, 31, 15, 4, 5, 0, time.UTC)

func fields() query.Fields {
	return query.Fields{Of: "ticket", List: []query.Field{
		{Name: "status", Type: query.Set, Allowed: []string{"TODO", "IN_PROGRESS", "DONE"}},
		{Name: "title"},
		{Name: "label", Many: true},
		{Name: "points", Type: query.Number},
		{Name: "due", Type: query.Day},
		{Name: "updated", Type: query.Instant},
		{Name: "late", Type: query.Flag},
		{Name: "blocked", Type: query.Ref},
		{Name: "owner", Type: query.Person},
		{Name: "sources.quote", Many: true},
		{Name: "sources", Type: query.Presence},
	}}
}

func TestQuery_FiltersAreRead(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"":                                    "",
		"  \t ":                               "",
		"status:todo":                         "status:TODO",
		"STATUS:todo,done":                    "status:TODO,DONE",
		"status:>TODO":                        "status:>TODO",
		`owner:"Joe Doe",Ann  points:>=3`:     `owner:"Joe Doe",Ann points:>=3`,
		"points:-3.50":                        "points:-3.5",
		"owner:none,Ann":                      "owner:none,Ann",
		`owner:"none"`:                        `owner:"none"`,
		"has:sources":                         "-sources:none",
		"-has:sources":                        "--sources:none",
		"sources.quote:~retry,refund":         "sources.quote:~retry,refund",
		"updated:>2w due:<+1m":                "updated:>2w due:<+1m",
		"due:2026-03-01,today":                "due:2026-03-01,today",
		"updated:<=2026-03-01T09:00:00Z":      "updated:<=2026-03-01T09:00:00Z",
		"late:TRUE blocked:tkt_1":             "late:true blocked:tkt_1",
		"a b OR c":                            "a b OR c",
		"a AND b OR c":                        "a b OR c",
		"a (b OR c) d":                        "a (b OR c) d",
		"((a b)) c":                           "a b c",
		"a OR (b OR c)":                       "a OR b OR c",
		"NOT a -b -(c d) NOT (e OR f)":        "-a -b -(c d) -(e OR f)",
		`"some words" "OR" or`:                `"some words" "OR" or`,
		`title:"a \"b\" \\ c" title:~"x,(y)"`: `title:"a \"b\" \\ c" title:~"x,(y)"`,
		`"http://example.com"`:                `"http://example.com"`,
		"PAY-201":                             "PAY-201",
		`label:"<b"`:                          `label:"<b"`,
		`a"b"(c)`:                             "a b c",
		"(status:TODO)OR(status:DONE)":        "status:TODO OR status:DONE",
		"title:Ünïcode":                       "title:Ünïcode",
	} {
		e, err := query.Parse(in, fields(), now)
		if err != nil {
			t.Errorf("%q: %v", in, err)
			continue
		}
		got := ""
		if e != nil {
			got = e.String()
		}
		if got != want {
			t.Errorf("%q prints %q, want %q", in, got, want)
		}
		again(t, e)
	}
}

// again holds a tree against the one that its own text gives.
func again(t *testing.T, e query.Expr) {
	t.Helper()
	if e == nil {
		return
	}
	other, err := query.Parse(e.String(), fields(), now)
	if err != nil || !reflect.DeepEqual(e, other) {
		t.Errorf("%#v prints %q, which is read as %#v, %v", e, e, other, err)
	}
}

func TestQuery_WhatCannotBeReadIsNamed(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"a prio:HIGH":   `At character 3: There is no field "prio" of the kind ticket. Put quotes around it to look for the text. Allowed: blocked, due, label, late, owner, points, sources, sources.quote, status, title, updated, has.`,
		"a ownr:Joe":    `At character 3: There is no field "ownr" of the kind ticket. Did you mean owner?`,
		"ä status:OPEN": `At character 10: The field status of the kind ticket cannot be "OPEN". Allowed: TODO, IN_PROGRESS, DONE, none.`,
		"late:maybe":    "Allowed: true, false, none.",
		"points:many":   `takes a number such as 3 or 2.5, not "many"`,
		"points:NaN":    "takes a number",
		"points:0x10":   "takes a number",
		"due:soon":      `At character 5: The time "soon" cannot be read. Allowed: 2026-03-01, 2026-03,`,
		"due:>none":     "cannot be read",
		"title:>a":      "cannot be compared with >. Allowed: title:none, ~.",
		"points:~3":     "cannot be compared with ~",
		"points:>3,4":   "At character 10: After > comes one value.",
		"sources:x":     "ask with has:sources or sources:none",
		"has:nothing":   `At character 5: There is no field "nothing"`,
		`has:"title"`:   "At character 5",
		"status:":       "The value of status is missing",
		`title:""`:      "title:none asks for what is not set",
		"(a":            "At character 1: The parenthesis is not closed.",
		"a)":            "At character 2: The parenthesis closes none",
		"()":            "At character 2: A term is missing",
		"a OR":          "A term is missing",
		"OR a":          "A term is missing",
		"NOT":           "A term is missing",
		`"a`:            "The quote is not closed",
		"-":             "There is no word",
		`"!?"`:          "There is no word",
		":a":            `no field ""`,
		`label:a"b"`:    "A blank or a comma is missing",
		"a\x00b":        "At character 2: This is no character of a text.",
		"a \xff":        "At character 3: This is no character",
		strings.Repeat("(", 40) + "a" + strings.Repeat(")", 40): "More than 30",
		strings.Repeat("a ", 101):                               "more than 100 terms",
		strings.Repeat("a ", 2049):                              "longer than 4096 bytes",
	} {
		e, err := query.Parse(in, fields(), now)
		if fault.KindOf(err) != fault.Invalid || !strings.HasPrefix(fault.TextOf(err), "filter: ") || !strings.Contains(fault.TextOf(err), want) {
			t.Errorf("%q: %v, %v\nwant %s", in, e, err, want)
		}
	}
}

func TestQuery_TimesAreWhatTheDocumentSays(t *testing.T) {
	t.Parallel()
	const day, minute = "2006-01-02", "2006-01-02 15:04"
	for in, want := range map[string][2]string{
		"due:2026-02-01":                {"2026-02-01 00:00", "2026-02-02 00:00"},
		"due:2026-02":                   {"2026-02-01 00:00", "2026-03-01 00:00"},
		"due:today":                     {"2026-03-31 00:00", "2026-04-01 00:00"},
		"due:>2w":                       {"2026-03-17 00:00", "2026-03-18 00:00"},
		"due:<+1m":                      {"2026-04-30 00:00", "2026-05-01 00:00"},
		"due:2026-02-01T23:30:00-02:00": {"2026-02-02 00:00", "2026-02-03 00:00"},
		"updated:2w":                    {"2026-03-17 00:00", "2026-03-18 00:00"},
		"updated:>2w":                   {"2026-03-17 15:04", "2026-03-17 15:04"},
		"updated:>20h":                  {"2026-03-30 19:04", "2026-03-30 19:04"},
		"updated:>3d":                   {"2026-03-28 15:04", "2026-03-28 15:04"},
		"updated:>1m":                   {"2026-02-28 15:04", "2026-02-28 15:04"},
		"updated:>2y":                   {"2024-03-31 15:04", "2024-03-31 15:04"},
		"updated:>2026-02":              {"2026-02-01 00:00", "2026-03-01 00:00"},
		"updated:<2026-02-01T23:30:00Z": {"2026-02-01 23:30", "2026-02-01 23:30"},
	} {
		e, err := query.Parse(in, fields(), now)
		if err != nil {
			t.Errorf("%s: %v", in, err)
			continue
		}
		v := e.(query.Term).Values[0]
		if got := [2]string{v.From.Format(minute), v.To.Format(minute)}; got != want || !v.To.After(v.From) {
			t.Errorf("%s: %v, want %v", in, got, want)
		}
	}
}

func TestQuery_Sorts(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{"": "", " ": "", "title": "title", " -Updated , title": "-updated,title"} {
		s, err := query.ParseSort(in, fields())
		if err != nil || s.String() != want {
			t.Errorf("%q: %q, %v", in, s, err)
		}
	}
	for in, want := range map[string]string{
		"prio":  `sort: A list of the kind ticket cannot be sorted by "prio". Allowed: due, late, owner, points, status, title, updated.`,
		"label": "cannot be sorted", "title,": `by ""`, "title,-title": "each once", "title,due,late,owner,points,status": "at most 5",
	} {
		if _, err := query.ParseSort(in, fields()); fault.KindOf(err) != fault.Invalid || !strings.Contains(fault.TextOf(err), want) {
			t.Errorf("%q: %v, want %s", in, err, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, in := range []string{
		`status:TODO,DONE owner:"Joe Doe" updated:>2w -label:x (a OR b) NOT c has:sources`, `--a`, `"\\" OR "\""`, `title:~"a\"b",c`, `due:<=+3m`,
		"-(-(a b) OR c)", "points:>=-0", "a:b:c", "(a)(b)", "label:none,\"none\"", "\u00a0a\u00a0", "NOT(a)OR\"b\"",
	} {
		f.Add(in)
	}
	f.Fuzz(func(t *testing.T, in string) {
		e, err := query.Parse(in, fields(), now)
		if err != nil {
			if fault.KindOf(err) != fault.Invalid {
				t.Fatalf("%q: %v", in, err)
			}
			return
		}
		if e != nil && len(e.String()) < 4096 {
			again(t, e)
		}
	})
}
