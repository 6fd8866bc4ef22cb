package discordtest

import "encoding/json"

// What goes over the wire, as the documentation names it.
type (
	// A User is a person or a bot.
	User struct {
		ID         string `json:"id"`
		Username   string `json:"username"`
		GlobalName string `json:"global_name,omitempty"`
		Bot        bool   `json:"bot,omitempty"`
	}
	// A Channel is where messages are.
	Channel struct {
		ID      string `json:"id"`
		Type    int    `json:"type"`
		GuildID string `json:"guild_id,omitempty"`
		Parent  string `json:"parent_id,omitempty"`
		Name    string `json:"name,omitempty"`
		Last    string `json:"last_message_id,omitempty"`
	}
	// A Message is one in a channel.
	Message struct {
		ID          string       `json:"id"`
		ChannelID   string       `json:"channel_id"`
		GuildID     string       `json:"guild_id,omitempty"` // in events only
		Type        int          `json:"type"`
		Author      *User        `json:"author,omitempty"`
		Member      *Member      `json:"member,omitempty"` // in events only
		WebhookID   string       `json:"webhook_id,omitempty"`
		Content     string       `json:"content"`
		Timestamp   string       `json:"timestamp"`
		Edited      *string      `json:"edited_timestamp"`
		Flags       int          `json:"flags"`
		Mentions    []User       `json:"mentions"`
		Roles       []string     `json:"mention_roles"`
		Attachments []Attachment `json:"attachments"`
		Embeds      []Embed      `json:"embeds"`
		Stickers    []Sticker    `json:"sticker_items,omitempty"`
		Poll        any          `json:"poll,omitempty"`
		Reference   *Reference   `json:"message_reference,omitempty"`
		Referenced  *Message     `json:"referenced_message,omitempty"`
		Snapshots   []Snapshot   `json:"message_snapshots,omitempty"`
		Components  []Component  `json:"components"`
		Nonce       string       `json:"nonce,omitempty"`
	}
	// A Member is what a user is on a server.
	Member struct {
		Nick string `json:"nick,omitempty"`
		User *User  `json:"user,omitempty"`
	}
	// A Reference says which message another answers or forwards.
	Reference struct {
		Type      int    `json:"type"`
		MessageID string `json:"message_id,omitempty"`
		ChannelID string `json:"channel_id,omitempty"`
		GuildID   string `json:"guild_id,omitempty"`
	}
	// A Snapshot is of a message that is forwarded.
	Snapshot struct {
		Message Message `json:"message"`
	}
	// An Attachment is a file.
	Attachment struct {
		ID          string  `json:"id"`
		Filename    string  `json:"filename"`
		Description string  `json:"description,omitempty"`
		ContentType string  `json:"content_type,omitempty"`
		Size        int     `json:"size"`
		URL         string  `json:"url"`
		Duration    float64 `json:"duration_secs,omitempty"`
	}
	// An Embed shows the page of a link.
	Embed struct {
		Title       string `json:"title,omitempty"`
		Description string `json:"description,omitempty"`
		URL         string `json:"url,omitempty"`
	}
	// A Sticker is a picture from a set.
	Sticker struct {
		ID   string `json:"id"`
		Name string `json:"name"`
	}
	// A Component is a row of buttons or a button.
	Component struct {
		Type   int         `json:"type"`
		Style  int         `json:"style,omitempty"`
		Label  string      `json:"label,omitempty"`
		Custom string      `json:"custom_id,omitempty"`
		Inside []Component `json:"components,omitempty"`
	}
)

// frame is what goes over the gateway.
type frame struct {
	Op   int             `json:"op"`
	Data json.RawMessage `json:"d"`
	Seq  *int64          `json:"s"`
	Name *string         `json:"t"`
}
