package clerk

import (
	"context"
	"iter"
)

// FormOf is that of the files of a program.
func FormOf(program string) string { return formOf(program) }

// Stashed keeps a project in a file at once.
func Stashed(ctx context.Context, c *Cache, project string) error {
	k := c.slot(project)
	return c.stash(ctx, project, k.book, k.end)
}

// Unpacked reads a book of portions.
func Unpacked(portions iter.Seq2[string, error]) (*Book, error) { return unpack(portions) }

// Packed writes a book in portions.
func Packed(b *Book, add func([]byte) error) error { return b.pack(add) }
