package slacktest

import (
	"encoding/json"
	"io"
	"net/http"
	"path"
	"strconv"
	"strings"
)

// stored is a file at the server.
type stored struct {
	File
	content []byte
	length  int // announced
	done    bool
}

// Keep puts a file on the server, as if a person had uploaded it, and returns what a message
// says of it.
func (s *Server) Keep(f File, content []byte) File {
	s.mu.Lock()
	defer s.mu.Unlock()
	f.ID = "F0FILE" + strconv.FormatInt(s.number(), 10)
	if f.Mode == "" {
		f.Mode = "hosted"
	}
	f.Size = int64(len(content))
	f.URL = s.URL() + "/files-pri/" + f.ID + "/" + path.Base(f.Name)
	f.Download = s.URL() + "/files-pri/" + f.ID + "/download/" + path.Base(f.Name)
	s.files[f.ID] = &stored{File: f, content: content, done: true}
	return f
}

func (s *Server) filesInfo(p arguments) answer {
	f := s.files[p.get("file")]
	if f == nil {
		return no("file_not_found")
	}
	return yes(answer{"file": f.File})
}

// download gives a file to the bot; to others it shows the page for signing in.
func (s *Server) download(w http.ResponseWriter, r *http.Request) {
	id, _, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/files-pri/"), "/")
	s.mu.Lock()
	f := s.files[id]
	mine := r.Header.Get("Authorization") == "Bearer "+s.BotToken && s.scopes[Download] == ""
	s.mu.Unlock()
	switch {
	case f == nil:
		http.NotFound(w, r)
	case !mine:
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = io.WriteString(w, "<html>Sign in</html>") // who has gone does not read it
	default:
		w.Header().Set("Content-Type", f.Mime)
		_, _ = w.Write(f.content)
	}
}

func (s *Server) uploadURL(p arguments) answer {
	n, err := strconv.Atoi(p.get("length"))
	if err != nil || n <= 0 || p.get("filename") == "" {
		return no("invalid_arguments")
	}
	f := &stored{File: File{ID: "F0FILE" + strconv.FormatInt(s.number(), 10), Name: p.get("filename"), Mode: "hosted"}, length: n}
	s.files[f.ID] = f
	return yes(answer{"upload_url": s.URL() + "/upload/v1/" + f.ID, "file_id": f.ID})
}

// upload takes the bytes of a file; the address is the permission.
func (s *Server) upload(w http.ResponseWriter, r *http.Request) {
	raw, err := io.ReadAll(r.Body)
	s.mu.Lock()
	defer s.mu.Unlock()
	f := s.files[strings.TrimPrefix(r.URL.Path, "/upload/v1/")]
	switch {
	case r.Header.Get("Authorization") != "":
		s.t.Error("an upload came with a token")
		http.Error(w, "no token", http.StatusBadRequest)
	case f == nil || f.done || err != nil || len(raw) != f.length:
		http.Error(w, "not expected", http.StatusBadRequest)
	default:
		f.content = raw
		_, _ = io.WriteString(w, "OK - "+strconv.Itoa(len(raw)))
	}
}

func (s *Server) completeUpload(p arguments) answer {
	var list []struct {
		ID    string `json:"id"`
		Title string `json:"title"`
	}
	if json.Unmarshal([]byte(p.get("files")), &list) != nil || len(list) != 1 {
		return no("invalid_arguments")
	}
	f := s.files[list[0].ID]
	if f == nil || f.content == nil || f.done {
		return no("file_not_found")
	}
	c, refused := s.reach(p.get("channel_id"))
	if refused != nil {
		return refused
	}
	f.done, f.Title = true, list[0].Title
	s.say(c, &Sent{Message: Message{Type: "message", Subtype: "file_share", User: s.Bot.ID, Bot: s.Bot.Bot, Text: p.get("initial_comment"), Thread: p.get("thread_ts"), Files: []File{f.File}}})
	return yes(answer{"files": []answer{{"id": f.ID, "title": f.Title}}})
}

// Content returns what is in a file that the bot sent.
func (s *Server) Content(id string) []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	if f := s.files[id]; f != nil {
		return f.content
	}
	return nil
}
