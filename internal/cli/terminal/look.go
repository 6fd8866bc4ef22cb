package terminal

import "charm.land/lipgloss/v2"

// A look is how things are set apart. The zero look sets nothing apart by colour or weight: it
// is for terminals without colours.
type look struct {
	accent, muted, good, bad, warn, strong, emphasis, code, added, removed lipgloss.Style
}

// coloured uses the sixteen colours that a person's terminal has chosen.
func coloured() look {
	fg := func(c string) lipgloss.Style { return lipgloss.NewStyle().Foreground(lipgloss.Color(c)) }
	return look{
		accent: fg("6"), muted: fg("8"), good: fg("2"), bad: fg("1"), warn: fg("3"), strong: lipgloss.NewStyle().Bold(true),
		emphasis: lipgloss.NewStyle().Italic(true), code: fg("5"), added: fg("2"), removed: fg("1"),
	}
}
