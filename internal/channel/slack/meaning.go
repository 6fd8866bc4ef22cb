package slack

// A weight says what follows from an error of Slack's.
type weight int

// The weights.
const (
	never   weight = iota // asking again is no use
	later                 // nothing was done; it may be asked again
	mended                // nothing was done until somebody changes the app
	unclear               // some of it may have been done
)

// denied reports whether an error says that our tokens are not good for anything.
func denied(code string) bool {
	switch code {
	case "invalid_auth", "not_authed", "account_inactive", "token_revoked", "token_expired", "not_allowed_token_type", "missing_scope", "no_permission":
		return true
	}
	return false
}

// meaning says what follows from an error, and the way out in words for people. The names are
// those of the tables under docs.slack.dev/reference/methods/chat.postMessage,
// auth.test, apps.connections.open and chat.update. One that is not here is a no for good.
func meaning(code string) (weight, string) {
	switch code {
	case "internal_error", "fatal_error": // "It's possible some aspect of the operation succeeded"
		return unclear, "Something broke at Slack."
	case "service_unavailable", "team_added_to_org", "request_timeout", "accesslimited":
		return later, "Slack does not serve us now."
	case "ratelimited", "rate_limited", "message_limit_exceeded":
		return later, "Too many messages came at once."
	case "invalid_auth", "not_authed", "token_revoked", "token_expired":
		return mended, "The token does not hold. Install the app again and give the channel the token that its page shows then."
	case "account_inactive":
		return mended, "The bot was removed from the workspace, or the workspace is gone. Install the app again."
	case "not_allowed_token_type":
		return mended, "This is another kind of token. bot_token begins with xoxb-, app_token with xapp-."
	case "missing_scope", "no_permission":
		return mended, "The app may not do this. Add the scopes of docs/slack.md on the app's page and install it again."
	}
	return never, finalWords(code)
}

// finalWords are the way out of a no for good.
func finalWords(code string) string {
	switch code {
	case "channel_not_found":
		return "There is no such conversation, or the bot is not in it. Invite the bot (/invite) and send it again."
	case "not_in_channel":
		return "The bot is not in the channel. Invite it (/invite) and send it again."
	case "is_archived":
		return "The channel is archived."
	case "msg_too_long", "msg_blocks_too_long":
		return "The text is longer than a message of Slack."
	case "no_text":
		return "There is no text."
	case "invalid_blocks", "invalid_blocks_format":
		return "Slack does not take the buttons."
	case "restricted_action", "restricted_action_read_only_channel", "restricted_action_thread_only_channel", "restricted_action_non_threadable_channel", "restricted_action_thread_locked":
		return "The workspace does not let the bot write there. An admin of the workspace can allow it."
	case "invalid_thread_ts", "thread_not_found":
		return "The thread is gone."
	case "cannot_reply_to_message":
		return "This message cannot have a thread."
	case "user_not_found", "users_not_found", "user_disabled", "messages_tab_disabled", "cannot_dm_bot":
		return "This person cannot be written to. The messages tab of the app's home must be on."
	case "message_not_found", "edit_window_closed", "cant_update_message":
		return "The message cannot be changed any more."
	case "file_uploads_disabled", "file_uploads_except_images_disabled", "storage_limit_reached":
		return "The workspace takes no files now."
	}
	return ""
}
