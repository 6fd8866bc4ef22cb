package fault

import (
	"strings"
	"unicode/utf8"
)

// longestName is how long a word may be to be taken for a mistyped name, in letters.
const longestName = 40

// mistyped is how many letters of a name may be wrong.
const mistyped = 2

// Near returns the names that somebody may have meant by a word: those that begin with it,
// else those of which at most two letters differ, whatever the case.
func Near(word string, names []string) []string {
	var begin, near []string
	folded := strings.ToLower(word)
	if folded == "" || utf8.RuneCountInString(folded) > longestName {
		return nil
	}
	for _, name := range names {
		switch low := strings.ToLower(name); {
		case strings.HasPrefix(low, folded):
			begin = append(begin, name)
		case distance(low, folded) <= min(mistyped, (len(low)-1)/2):
			near = append(near, name)
		}
	}
	if len(begin) > 0 {
		return begin
	}
	return near
}

// distance is how many bytes must be changed, added or left out to make b of a.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			next := diagonal
			if a[i] != b[j] {
				next = 1 + min(diagonal, row[j], row[j+1])
			}
			diagonal, row[j+1] = row[j+1], next
		}
	}
	return row[len(b)]
}
