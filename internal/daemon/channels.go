package daemon

import (
	"chela/internal/channel"
	"chela/internal/channel/dingtalk"
	"chela/internal/channel/discord"
	"chela/internal/channel/slack"
	"chela/internal/channel/telegram"
	"chela/internal/channel/webhook"
	"chela/internal/channel/whatsapp"
)

// platforms are those that a channel can be of.
func (d *Daemon) platforms() []channel.Platform {
	return append([]channel.Platform{
		dingtalk.Platform(d.db.Mint().Now),
		discord.Platform(),
		slack.Platform(),
		telegram.Platform(),
		webhook.Platform(d.db.Mint().Now),
		whatsapp.Platform(),
	}, tagged(d.cfg.Data)...)
}
