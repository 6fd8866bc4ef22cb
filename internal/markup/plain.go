package markup

// plain is text for terminals, mail and webhooks: no marks, tables in columns, the address of
// a link behind its text.
func plain() *dialect {
	return &dialect{
		fixed:     true,
		quoteLine: "> ",
		bullet:    "- ",
		newline:   "\n",
		escape:    func(s spot) string { return s.text },
		verbatim:  func(s string) string { return s },
		link:      spelledLink,
	}
}
