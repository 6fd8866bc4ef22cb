package extract

import (
	"strings"
	"unicode"

	"chela/internal/pattern"
)

var wholeName = pattern.New(`^` + nameList + `$`)

// notOwners end titles and are no people.
var notOwners = set(strings.Fields(`web mobile desktop tablet phone email mail sms push pdf csv phase part pay wallet card cards invoice invoices admin merchant merchants portal beta alpha prod production dev local
english german french spanish europe germany france spain italy asia uk us eu emea apac mastercard visa paypal stripe sepa klarna salesforce sap oracle microsoft apple amazon netflix facebook meta openai
cleanup follow-up refactoring rollout go-live launch discovery research prototype mvp`))

// listName reports a part that may be the name of who has a ticket.
func listName(part string) bool {
	part = strings.TrimSpace(part)
	if !wholeName.MatchString(part) || !isName(part) || len(part) > 60 {
		return false
	}
	for _, one := range nameJoint.Split(part, -1) {
		for _, word := range strings.Fields(one) {
			if low := strings.ToLower(word); notNames[low] || notOwners[low] || len(word) > 2 && word == strings.ToUpper(word) || strings.ContainsFunc(word, unicode.IsDigit) || statusWord(low) {
				return false
			}
		}
	}
	return true
}

// name takes what stands last in lines as names, where the list shows that they are: a line gives the same name for sure, or each has
// somebody or nobody there, and one of them is "unassigned", a full name, or comes twice.
func (r *run) name(known map[string]bool) {
	ownerly, sure := 0, false
	times, surnames := make(map[string]int), make(map[string]string)
	distinct := true
	for i := range r.lines {
		t := &r.lines[i]
		switch {
		case t.has("Owner"):
			ownerly, sure = ownerly+1, true
		case t.name != "":
			ownerly++
			times[t.name]++
			words := strings.Fields(t.name)
			last := words[len(words)-1]
			if was := surnames[last]; len(words) > 1 && was != "" && was != t.name {
				distinct = false // "Apple Pay", "Google Pay"
			}
			surnames[last] = t.name
			sure = sure || len(words) > 1 || times[t.name] > 1
		}
	}
	all := ownerly == len(r.lines) && ownerly >= listedFrom && sure && distinct
	for i := range r.lines {
		t := &r.lines[i]
		if t.name == "" {
			continue
		}
		first, _, _ := strings.Cut(t.name, " ")
		if all || known[strings.ToLower(t.name)] || known[strings.ToLower(first)] {
			t.title = t.before
			t.fields = append([]listField{{"Owner", t.name}}, t.fields...)
		}
		t.name = ""
	}
}
