package document

import (
	"fmt"
	"strings"
)

// Atlassian's document format, which Jira's API writes texts in, becomes Markdown.

// isADF reports a document in Atlassian's format.
func (x value) isADF() bool { return x.member("type").text == "doc" && x.member("content").kind == 'a' }

// adf writes such a document as Markdown.
func (x value) adf() string {
	var b strings.Builder
	x.adfBlocks(&b, "")
	return strings.TrimSpace(b.String())
}

// adfBlocks writes the blocks in x, each behind indent.
func (x value) adfBlocks(b *strings.Builder, indent string) {
	for i, kid := range x.member("content").kids {
		mark := "- "
		switch kind := kid.member("type").text; kind {
		case "heading":
			level := len(kid.member("attrs").member("level").text)
			if n := kid.member("attrs").member("level").text; level == 1 && n >= "1" && n <= "6" {
				level = int(n[0] - '0')
			}
			fmt.Fprintf(b, "%s%s %s\n\n", indent, strings.Repeat("#", max(level, 1)), kid.adfWords())
		case "bulletList", "orderedList", "taskList", "decisionList":
			kid.adfBlocks(b, indent)
			if indent == "" {
				b.WriteByte('\n')
			}
		case "listItem":
			if x.member("type").text == "orderedList" {
				mark = fmt.Sprintf("%d. ", i+1)
			}
			kid.adfItem(b, indent, mark)
		case "taskItem":
			box := "[ ] "
			if kid.member("attrs").member("state").text == "DONE" {
				box = "[x] "
			}
			b.WriteString(indent + mark + box + kid.adfWords() + "\n")
		case "decisionItem":
			b.WriteString(indent + mark + kid.adfWords() + "\n")
		case "codeBlock":
			fmt.Fprintf(b, "%s```%s\n%s\n%s```\n\n", indent, kid.member("attrs").member("language").text, kid.adfWords(), indent)
		case "rule":
			b.WriteString("---\n\n")
		case "paragraph":
			b.WriteString(indent + kid.adfWords() + "\n\n")
		case "table":
			b.WriteString(markdownTable(kid.adfRows()) + "\n\n")
		default: // panels, quotes, layouts: what is in them counts
			if words := kid.adfWords(); words != "" && kid.member("content").kind != 'a' {
				b.WriteString(indent + words + "\n\n")
			} else {
				kid.adfBlocks(b, indent)
			}
		}
	}
}

// adfItem writes an item of a list, with the lists in it.
func (x value) adfItem(b *strings.Builder, indent, mark string) {
	var inside strings.Builder
	x.adfBlocks(&inside, "")
	lines := strings.Split(strings.TrimSpace(inside.String()), "\n")
	b.WriteString(indent + mark + lines[0] + "\n")
	for _, l := range lines[1:] {
		if strings.TrimSpace(l) != "" {
			b.WriteString(indent + "  " + l + "\n")
		}
	}
}

func (x value) adfRows() (rows [][]string) {
	for _, row := range x.member("content").kids {
		var cells []string
		for _, cell := range row.member("content").kids {
			cells = append(cells, cell.adf())
		}
		rows = append(rows, cells)
	}
	return rows
}

// adfWords are the words in x, with their marks.
func (x value) adfWords() string {
	var b strings.Builder
	x.adfInline(&b)
	return strings.TrimRight(b.String(), "\n ")
}

func (x value) adfInline(b *strings.Builder) {
	attrs := x.member("attrs")
	switch x.member("type").text {
	case "hardBreak":
		b.WriteByte('\n')
	case "mention", "status", "emoji", "date":
		text := attrs.member("text").text
		if text == "" {
			text = attrs.member("shortName").text
		}
		b.WriteString(text)
	case "inlineCard", "blockCard", "embedCard":
		b.WriteString(attrs.member("url").text)
	case "text":
		b.WriteString(x.adfMarked())
	}
	for _, kid := range x.member("content").kids {
		kid.adfInline(b)
		if kid.member("type").text == "paragraph" {
			b.WriteByte('\n')
		}
	}
}

// adfMarked is a text with its marks.
func (x value) adfMarked() string {
	text := x.member("text").text
	if strings.TrimSpace(text) == "" {
		return text
	}
	for _, m := range x.member("marks").kids {
		switch m.member("type").text {
		case "strong":
			text = "**" + text + "**"
		case "em":
			text = "*" + text + "*"
		case "code":
			text = "`" + text + "`"
		case "strike":
			text = "~~" + text + "~~"
		case "link":
			if href := m.member("attrs").member("href").text; href != text {
				text = "[" + text + "](" + href + ")"
			}
		}
	}
	return text
}
