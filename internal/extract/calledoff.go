package extract

import (
	"strings"

	"chela/internal/pattern"
)

// calledOffWords say of something that it is not done any more, and not that it is put off.
const calledOffWords = `cancell?ed|called off|withdrawn|abandoned|scrapped|dropped|no longer (?:needed|required|relevant|necessary)|not (?:needed|required|necessary)(?: (?:any ?more|any longer))|won['’]t do|gestrichen|entfällt|entfallen|abgesagt|verworfen|hinfällig|storniert|zurückgezogen|nicht mehr (?:nötig|notwendig|erforderlich|relevant)`

var (
	offHead = pattern.New(markHead(calledOffWords))
	offTail = pattern.New(markTail(calledOffWords))
	offSaid = pattern.New(`(?i)^(.+?)\s+(?:(?:is|was|are|were|has been|have been|ist|sind|wird|wurde|wurden)\s+(?:now\s+)?(?:` + calledOffWords + `)|entfällt|entfallen)[.!]*$`)
	offMark = pattern.New(`^[\s*+•>-]*(?:\d+[.)]\s+)?(?:\[[ xX]?\]\s*)?`)
)

// CalledOff returns what a line of minutes says to be cancelled: "Cancelled: the offsite", "The offsite is cancelled", "The offsite (no longer
// needed)". Whoever stands before it is returned with it: "Ann: book the venue".
func CalledOff(line string) (what string, ok bool) {
	if len(line) > longestNo {
		return "", false
	}
	text := strings.TrimSpace(strings.Trim(offMark.ReplaceAllString(line, ""), "*_~ "))
	if m := offHead.FindStringSubmatch(text); m != nil {
		return strings.Trim(m[1], " .!"), m[1] != ""
	}
	if who, rest, found := strings.Cut(text, ": "); found && isName(who) { // "Joe: cancelled: book the venue"
		if m := offHead.FindStringSubmatch(rest); m != nil {
			return strings.Trim(m[1], " .!"), m[1] != ""
		}
	}
	if m := offSaid.FindStringSubmatch(text); m != nil {
		return strings.TrimSpace(m[1]), true
	}
	if at := offTail.FindStringSubmatchIndex(text); at != nil && at[0] > 0 {
		return strings.TrimSpace(text[:at[0]]), true
	}
	return "", false
}
