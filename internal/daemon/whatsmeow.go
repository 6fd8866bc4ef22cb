//go:build whatsmeow

package daemon

import (
	"path/filepath"

	"chela/internal/channel"
	"chela/internal/channel/whatsmeow"
)

// tagged are the platforms that are built only with a tag.
func tagged(data string) []channel.Platform {
	whole, err := filepath.Abs(data)
	if err != nil {
		whole = data // the channel asks for a whole path
	}
	return []channel.Platform{whatsmeow.Platform(whole)}
}
