package extract

import (
	"strings"

	"chela/internal/pattern"
)

// Jekyll's Markdown, kramdown, has lines that say how the page looks, as "{:toc}" and "{:.no_toc}".
var (
	looksLine = pattern.New(`^[\s>]*\{:[^{}]*\}\s*$`)
	looksTail = pattern.New(`\s*\{:[^{}]*\}\s*$`)
	tocLine   = pattern.New(`^[\s>]*\{:(?:[^{}]*\s)?toc[\s}]`)
)

// Said is a text without what only says how its page looks. Its lines have the numbers that they had.
func Said(text string) string {
	if !strings.Contains(text, "{:") {
		return text
	}
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if !looksLine.MatchString(line) {
			if strings.HasPrefix(line, "#") {
				lines[i] = looksTail.ReplaceAllString(line, "")
			}
			continue
		}
		if i > 0 && tocLine.MatchString(line) && bulletPattern.MatchString(lines[i-1]) { // the item in whose place the contents stand
			lines[i-1] = ""
		}
		lines[i] = ""
	}
	return strings.Join(lines, "\n")
}
