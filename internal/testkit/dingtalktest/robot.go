package dingtalktest

import (
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

// Sent is what the robot sent.
type Sent struct {
	ID    string // processQueryKey, or the id of the card
	Form  string // the msgKey; markdown of a session webhook; or card
	Title string
	Text  string // of a card as it was first
	Name  string // of a file
	Raw   []byte // the file or picture

	group, staff, conversation string
	card                       *Card
}

// Sent returns what the robot sent to a chat.
func (s *Server) Sent(c Chat) []Sent {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []Sent
	for _, m := range s.sent {
		if m.in(c) {
			out = append(out, *m)
		}
	}
	return out
}

// in reports whether it was sent to a chat.
func (m *Sent) in(c Chat) bool {
	return c.With == nil && m.group == c.ID || c.With != nil && m.staff != "" && m.staff == c.With.Staff || m.conversation == c.ID
}

// Texts returns the texts of what the robot sent to a chat, of cards as they are now.
func (s *Server) Texts(c Chat) []string {
	var out []string
	for _, m := range s.Sent(c) {
		if m.card != nil {
			s.mu.Lock()
			m.Text = m.card.Params["content"]
			s.mu.Unlock()
		}
		if m.Text != "" {
			out = append(out, m.Text)
		}
	}
	return out
}

// After returns the texts of what the robot sent to a chat, cards apart, but for the first n.
func (s *Server) After(c Chat, n int) (texts []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, m := range s.sent {
		if m.card != nil || m.Text == "" || !m.in(c) {
			continue
		}
		if n--; n < 0 {
			texts = append(texts, m.Text)
		}
	}
	return texts
}

type tokenParams struct {
	Key    string `json:"appKey"`
	Secret string `json:"appSecret"`
}

func (s *Server) accessToken(p tokenParams) reply {
	s.mu.Lock()
	defer s.mu.Unlock()
	if p.Key != s.ClientID || p.Secret != s.ClientSecret {
		return refusal(http.StatusBadRequest, "invalidClientIdOrSecret", "无效的clientId或者clientSecret")
	}
	return result(map[string]any{"accessToken": s.token, "expireIn": 7200})
}

type messageParams struct {
	Robot  string   `json:"robotCode"`
	People []string `json:"userIds"`
	Group  string   `json:"openConversationId"`
	Key    string   `json:"msgKey"`
	Param  string   `json:"msgParam"`
}

const maxParam = 15000 // bytes

// formed reads the message in the parameters. The caller holds mu.
func (s *Server) formed(p messageParams) (*Sent, reply, bool) {
	no := func(code string) (*Sent, reply, bool) { return nil, refusal(http.StatusBadRequest, code, code), false }
	var is struct {
		Title, Text, PhotoURL, MediaID, FileName, FileType string
	}
	switch {
	case p.Robot == "":
		return no("invalidParameter.robotCode.empty")
	case p.Robot != s.RobotCode:
		return no("invalidParameter.robotCode.auth")
	case len(p.Param) > maxParam:
		return no("invalidParameter.msgParam.overLength")
	case json.Unmarshal([]byte(p.Param), &is) != nil:
		return no("invalidParameter.msgParam.invalid")
	}
	m := &Sent{Form: p.Key, Title: is.Title, Text: is.Text}
	switch p.Key {
	case "sampleMarkdown":
		if is.Title == "" || is.Text == "" {
			return no("invalidParameter.msgParam.invalid")
		}
	case "sampleImageMsg":
		up, ok := s.media[is.PhotoURL]
		if !ok || up.kind != "image" {
			return no("invalidParameter.msgParam.photoURL")
		}
		m.Raw = up.raw
	case "sampleFile":
		up, ok := s.media[is.MediaID]
		if !ok || up.kind != "file" || is.FileName == "" || !slices.Contains(fileTypes, is.FileType) {
			return no("invalidParameter.msgParam.mediaId")
		}
		m.Name, m.Raw = is.FileName, up.raw
	default:
		return no("invalidParameter.msgKey.invalid")
	}
	return m, reply{}, true
}

func (s *Server) batchSend(p messageParams) reply {
	s.mu.Lock()
	defer s.mu.Unlock()
	m, no, ok := s.formed(p)
	switch {
	case !ok:
		return no
	case len(p.People) == 0:
		return refusal(http.StatusBadRequest, "invalidParameter.userIds.empty", "userIds")
	case len(p.People) > 20:
		return refusal(http.StatusBadRequest, "invalidParameter.userIds.overMax", "userIds")
	}
	got := map[string]any{"invalidStaffIdList": []string{}, "flowControlledStaffIdList": []string{}}
	for _, staff := range p.People {
		if _, known := s.people[staff]; !known {
			got["invalidStaffIdList"] = []string{staff}
			return result(got)
		}
	}
	if s.over("user " + p.People[0]) {
		got["flowControlledStaffIdList"] = p.People
		return result(got)
	}
	m.staff = p.People[0]
	got["processQueryKey"] = s.took(m)
	return result(got)
}

func (s *Server) groupSend(p messageParams) reply {
	s.mu.Lock()
	defer s.mu.Unlock()
	m, no, ok := s.formed(p)
	switch {
	case !ok:
		return no
	case !s.groups[p.Group]:
		return refusal(http.StatusBadRequest, "invalid.openConversationId", "无效的openConversationId")
	case s.over(p.Group):
		return refusal(http.StatusForbidden, "Forbidden.AccessDenied.QpsLimitForAppkeyAndApi", "too many")
	}
	m.group = p.Group
	return result(map[string]string{"processQueryKey": s.took(m)})
}

// took keeps a message. The caller holds mu.
func (s *Server) took(m *Sent) string {
	if m.ID == "" {
		m.ID = s.id("query-")
	}
	s.sent = append(s.sent, m)
	s.Happened()
	return m.ID
}

// A session is what a session webhook leads to.
type session struct {
	chat  Chat
	until time.Time
}

type sessionParams struct {
	Kind     string `json:"msgtype"`
	Markdown struct {
		Title string `json:"title"`
		Text  string `json:"text"`
	} `json:"markdown"`
	At struct {
		All   bool     `json:"isAtAll"`
		Users []string `json:"atUserIds"`
	} `json:"at"`
}

func (s *Server) bySession(key string, p sessionParams) reply {
	s.mu.Lock()
	defer s.mu.Unlock()
	k, ok := s.sessions[key]
	switch {
	case !ok || time.Now().After(k.until):
		return old(300001, "session 不存在或已过期")
	case p.Kind != "markdown" || p.Markdown.Title == "" || p.Markdown.Text == "":
		return old(400105, "不支持的消息类型")
	case p.At.All || len(p.At.Users) > 0:
		s.t.Errorf("a message rings people")
	case s.over(k.chat.ID):
		return old(410100, "发送速度太快而限流")
	}
	s.took(&Sent{Form: "markdown", Title: p.Markdown.Title, Text: p.Markdown.Text, conversation: k.chat.ID})
	return old(0, "ok")
}

type downloadParams struct {
	Code  string `json:"downloadCode"`
	Robot string `json:"robotCode"`
}

func (s *Server) download(p downloadParams) reply {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.files[p.Code]; !ok || p.Robot != s.RobotCode {
		return refusal(http.StatusBadRequest, "unknownError", "downloadCode")
	}
	return result(map[string]string{"downloadUrl": "http://down.dingtalk.com" + Files + url.PathEscape(p.Code) + "?Signature=1"})
}

// file is where a file lies, for anybody who knows the address.
func (s *Server) file(r *http.Request) reply {
	if r.Header.Get("x-acs-dingtalk-access-token") != "" || r.URL.Query().Get("Signature") != "1" {
		s.t.Errorf("a file is asked for with a token, or without its signature")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	raw, ok := s.files[strings.TrimPrefix(r.URL.Path, Files)]
	if !ok {
		return reply{http.StatusForbidden, "application/xml", []byte("<Error/>")}
	}
	return reply{http.StatusOK, "application/octet-stream", raw}
}

// An upload is a file that messages can name.
type upload struct {
	kind string
	raw  []byte
}

var (
	pictureTypes = []string{"jpg", "jpeg", "gif", "png", "bmp"}
	fileTypes    = []string{"doc", "docx", "xls", "xlsx", "ppt", "pptx", "zip", "pdf", "rar"}
)

const maxUpload = 20 << 20

func (s *Server) upload(r *http.Request) reply {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r.URL.Query().Get("access_token") != s.token {
		return old(40014, "不合法的access_token")
	}
	f, header, err := r.FormFile("media")
	if err != nil {
		return old(41005, "缺少多媒体文件数据")
	}
	raw, err := io.ReadAll(f)
	if err != nil {
		return old(41005, err.Error())
	}
	kind := r.URL.Query().Get("type")
	ending := strings.ToLower(header.Filename[strings.LastIndex(header.Filename, ".")+1:])
	allowed := map[string][]string{"image": pictureTypes, "file": fileTypes}[kind]
	switch {
	case !slices.Contains(allowed, ending):
		return old(40004, "无效的媒体文件类型")
	case len(raw) == 0 || len(raw) > maxUpload:
		return old(40009, "文件大小")
	}
	id := s.id("@media")
	s.media[id] = upload{kind, raw}
	return result(map[string]any{"errcode": 0, "errmsg": "ok", "type": kind, "media_id": id, "created_at": 1})
}
