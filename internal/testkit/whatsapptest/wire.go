package whatsapptest

import (
	"encoding/json"
	"net/http"
	"strings"
)

// A User is a person. One who is Hidden has a username and shows no number.
type User struct {
	ID     string // the number, digits only
	UserID string // by which the business knows them, such as US.13491208655302741918
	Name   string
	Hidden bool
}

// A Chat is where messages are.
type Chat struct {
	ID    string
	Group bool
}

// Private returns the chat of a person with the number.
func Private(u User) Chat {
	if u.Hidden {
		return Chat{ID: u.UserID}
	}
	return Chat{ID: u.ID}
}

// Group returns a group.
func Group(id string) Chat { return Chat{ID: id, Group: true} }

// A Message is what a person sends. Content is what stands under the name of the type.
type Message struct {
	Type    string
	Content any
	Context *Context
	Errors  []Trouble
}

// A Context is what a message answers, or that it is not of its sender.
type Context struct {
	From      string `json:"from,omitempty"`
	ID        string `json:"id,omitempty"`
	Forwarded bool   `json:"forwarded,omitempty"`
	Often     bool   `json:"frequently_forwarded,omitempty"`
}

// A Trouble is an error in an update.
type Trouble struct {
	Code    int    `json:"code"`
	Title   string `json:"title"`
	Message string `json:"message,omitempty"`
	Data    struct {
		Details string `json:"details,omitempty"`
	} `json:"error_data"`
}

// Text is the content of a text.
type Text struct {
	Body string `json:"body"`
}

// Attached is the content of a file.
type Attached struct {
	ID      string `json:"id"`
	Mime    string `json:"mime_type,omitempty"`
	SHA256  string `json:"sha256,omitempty"`
	Caption string `json:"caption,omitempty"`
	Name    string `json:"filename,omitempty"`
	Voice   bool   `json:"voice,omitempty"`
}

// answer is what the server says.
type answer struct {
	status int
	body   any
}

func yes(body any) answer { return answer{http.StatusOK, body} }

// no is an error of the Graph API.
func no(status, code int, message string) answer {
	type data struct {
		Product string `json:"messaging_product"`
		Details string `json:"details"`
	}
	type refusal struct {
		Message string `json:"message"`
		Type    string `json:"type"`
		Code    int    `json:"code"`
		Data    *data  `json:"error_data,omitempty"`
		Trace   string `json:"fbtrace_id"`
	}
	out := refusal{Message: message, Type: "OAuthException", Code: code, Trace: "AkTxGQ6dGfMLvkaKOgFbcSY"}
	if title, details, ok := strings.Cut(message, ": "); ok && code > 130000 {
		out.Message, out.Data = title, &data{"whatsapp", details}
	}
	return answer{status, struct {
		Error refusal `json:"error"`
	}{out}}
}

func write(w http.ResponseWriter, a answer) {
	w.Header().Set("Content-Type", "application/json; charset=UTF-8")
	w.WriteHeader(a.status)
	_ = json.NewEncoder(w).Encode(a.body) // who has gone does not read it
}
