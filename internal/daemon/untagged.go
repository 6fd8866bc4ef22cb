//go:build !whatsmeow

package daemon

import "chela/internal/channel"

// tagged are the platforms that are built only with a tag.
func tagged(string) []channel.Platform { return nil }
