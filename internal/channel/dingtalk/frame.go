package dingtalk

import (
	"encoding/json"
	"errors"
	"net/http"
)

// The types of frames and the topics of the Stream protocol
// (github.com/open-dingtalk/dingtalk-stream-sdk-go, payload).
const (
	typeSystem   = "SYSTEM"
	typeEvent    = "EVENT"
	typeCallback = "CALLBACK"

	topicPing       = "ping"
	topicDisconnect = "disconnect"
	topicMessage    = "/v1.0/im/bot/messages/get"
	topicCard       = "/v1.0/card/instances/callback"
	topicAll        = "*"
)

// What an answer to a frame says where nothing else is to be said.
const (
	saysDone = `{"response":{}}`
	saysTook = `{"status":"SUCCESS","message":"success"}`
)

// A frame is what DingTalk sends over the connection.
type frame struct {
	Type  string
	Topic string
	ID    string // what its answer names
	Data  string // JSON
}

var errNoFrame = errors.New("no frame of DingTalk")

// decodeFrame reads a frame. What is not a string where one belongs is as if it were missing.
func decodeFrame(raw []byte) (frame, error) {
	var in struct {
		Type    word                   `json:"type"`
		Headers loose[map[string]word] `json:"headers"`
		Data    word                   `json:"data"`
	}
	if err := json.Unmarshal(raw, &in); err != nil {
		return frame{}, errNoFrame
	}
	f := frame{Type: string(in.Type), Topic: string(in.Headers.is["topic"]), ID: string(in.Headers.is["messageId"]), Data: string(in.Data)}
	if f.Type == "" {
		return f, errNoFrame
	}
	return f, nil
}

// An answer to a frame. Only the code 200 says that it need not come again.
type answer struct {
	Code    int           `json:"code"`
	Headers answerHeaders `json:"headers"`
	Message string        `json:"message"`
	Data    string        `json:"data"`
}

type answerHeaders struct {
	ID   string `json:"messageId"`
	Type string `json:"contentType"`
}

func (f frame) answer(code int, data string) answer {
	message := "OK"
	if code != http.StatusOK {
		message = http.StatusText(code)
	}
	return answer{Code: code, Headers: answerHeaders{f.ID, "application/json"}, Message: message, Data: data}
}
