package clerk

import "context"

// FormOf is that of the files of a program.
func FormOf(program string) string { return formOf(program) }

// Stashed keeps a project in a file at once.
func Stashed(ctx context.Context, c *Cache, project string) error {
	k := c.slot(project)
	return c.stash(ctx, project, k.book, k.end)
}

// Unpacked reads a book of portions.
func Unpacked(portions ...string) (*Book, error) {
	reads := make([]func() (string, error), len(portions))
	for i, p := range portions {
		reads[i] = func() (string, error) { return p, nil }
	}
	return unpack(reads)
}

// Packed writes a book in portions.
func Packed(b *Book, add func([]byte) error) error { return b.pack(add) }

// Finder finds places in a book, of people and of tickets.
func Finder(b *Book) (person, ticket func(id string) int32) {
	var f finder
	return func(id string) int32 { return f.person(b, id) }, func(id string) int32 { return f.ticket(b, id) }
}
