package extract

import (
	"strings"
	"unicode"

	"chela/internal/pattern"
)

// The roles of people, as the desk has them, by the words of their titles. The first that fits counts: a test engineer tests.
var roleTitles = []struct {
	role  string
	words *pattern.Pattern
}{
	{"QA", pattern.New(`(?i)\b(?:qa|quality|testers?|testing|test (?:engineer|manager|lead|analyst|automation)|sdet|qualitätssicherung|testerin|testmanager(?:in)?)\b`)},
	{"ENGINEER", pattern.New(`(?i)\b(?:engineers?|engineering|developers?|devs?|programmers?|architects?|devops|sre|swe|sde|dba|entwickler(?:in)?|softwareentwickler(?:in)?|ingenieur(?:in)?|architektin|architekt|administrator(?:in)?|sysadmin)\b`)},
	{"DESIGNER", pattern.New(`(?i)\b(?:designers?|designerin|ux|ui|product design|design lead|head of design|design)\b`)},
	{"PM", pattern.New(`(?i)\b(?:pm|tpm|po|product (?:manager|owner|lead|management)|project (?:manager|lead|management|coordinator)|program(?:me)? manager|delivery (?:manager|lead)|scrum master|agile coach|product|head of product|produktmanager(?:in)?|projektmanager(?:in)?|projektleit(?:er|erin|ung)|product-owner)\b`)},
	{"ENGINEER", pattern.New(`(?i)\b(?:back[- ]?end|front[- ]?end|full[- ]?stack|software|tech(?:nical)? lead|data scientist|data|mobile|ios|android|platform|infrastructure|infra|cto|ml|security)\b`)},
}

// RoleOf is the role of the desk that a title means, "" where it means none.
func RoleOf(title string) string {
	for _, r := range roleTitles {
		if r.words.MatchString(title) {
			return r.role
		}
	}
	return ""
}

// titleWords are all the words that a title has that stands in a text behind a name. Other words say something else.
var titleWords = set(strings.Fields(`qa quality assurance tester testing test tests manager lead leader analyst automation sdet engineer engineering developer dev programmer architect devops sre swe sde dba administrator sysadmin
designer design ux ui product project program programme delivery owner pm tpm po scrum master agile coach management coordinator backend back-end frontend front-end fullstack full-stack back front end full stack software tech technical data
scientist mobile ios android platform infrastructure infra cto ml ai security senior sr junior jr staff principal chief head of and associate intern web cloud systems system solutions site reliability machine learning research visual
interaction graphic web embedded firmware release build go java python rust team working student part-time entwickler entwicklerin softwareentwickler softwareentwicklerin tester testerin ingenieur ingenieurin architekt architektin
produktmanager produktmanagerin projektmanager projektmanagerin projektleiter projektleiterin projektleitung werkstudent werkstudentin`))

// isTitleOf reports a part of a text that is what somebody is, and nothing else.
func isTitleOf(part string) bool {
	words := strings.FieldsFunc(strings.ToLower(part), func(r rune) bool { return !unicode.IsLetter(r) && r != '-' })
	if len(words) == 0 || len(words) > 6 {
		return false
	}
	for _, w := range words {
		if !titleWords[w] && !titleWords[strings.ReplaceAll(w, "-", "")] {
			return false
		}
	}
	return RoleOf(part) != ""
}

// noPeople are words of names that are those of tools, groups and places to be filled.
var noPeople = set(strings.Fields(`team teams squad squads group guild chapter crew bot bots server servers service services account accounts room rooms vendor vendors contractor contractors freelancer freelancers hire hires position
positions vacancy vacant open tbd tba tbh tbc n.n. nn pool department dept division office cluster environment machine machines license licence licenses total subtotal sum summe gesamt average avg headcount unassigned placeholder
resource resources engineer engineers developer developers designer designers tester testers qa devops backend frontend tool tools platform cloud system systems software app pipeline runner agent everyone everybody all others
budget tbd? stelle unbesetzt extern externe backlog buffer overhead holiday holidays vacation`))

// ofNoPerson are titles of what is no person.
var ofNoPerson = pattern.New(`(?i)\b(?:bot|tool|tools|server|service account|system account|automation account|equipment|meeting room|environment|license|licence|ci|saas|group|mailing list|vendor)\b`)

// isPerson reports whether a name in a roster may be a person's.
func isPerson(name string) bool {
	words := strings.Fields(bareName(name))
	if len(words) == 0 || !writtenName(strings.Join(words, " ")) {
		return false
	}
	for _, w := range words {
		if low := strings.ToLower(strings.Trim(w, ",")); noPeople[low] || len(words) == 1 && notOwners[low] {
			return false
		}
		if letters := strings.ReplaceAll(w, ".", ""); len(words) == 1 && len(letters) > 1 && strings.ToUpper(letters) == letters && !strings.ContainsFunc(letters, func(r rune) bool { return r > unicode.MaxASCII }) {
			return false // "CI", "SRE"
		}
	}
	return true
}
