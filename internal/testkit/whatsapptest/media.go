package whatsapptest

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// attachments is the path under which files lie at lookaside.fbsbx.com.
const attachments = "/whatsapp_business/attachments/"

type file struct {
	kind    string
	name    string
	content []byte
}

// uploadable are the media types that an upload takes
// (…/whatsapp/business-phone-numbers/media, Supported media types).
var uploadable = []string{
	"audio/aac", "audio/mp4", "audio/mpeg", "audio/amr", "audio/ogg", "text/plain", "application/pdf", "application/msword",
	"application/vnd.ms-excel", "application/vnd.ms-powerpoint", "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
	"application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", "application/vnd.openxmlformats-officedocument.presentationml.presentation",
	"image/jpeg", "image/png", "image/webp", "video/mp4", "video/3gpp",
}

func (f file) form() string {
	what, _, _ := strings.Cut(f.kind, "/")
	if what == "text" || what == "application" {
		return "document"
	}
	return what
}

// Keep puts a file on the server, by the id that messages name.
func (s *Server) Keep(id, kind string, content []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.files[id] = file{kind: kind, content: content}
}

// Uploaded returns a file that the number uploaded.
func (s *Server) Uploaded(id string) (kind, name string, content []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f := s.files[id]
	return f.kind, f.name, f.content
}

func (s *Server) upload(kind string, body []byte) answer {
	_, args, err := mime.ParseMediaType(kind)
	if err != nil {
		return parameter("The parameter file is required")
	}
	form, err := multipart.NewReader(bytes.NewReader(body), args["boundary"]).ReadForm(200 << 20)
	if err != nil || len(form.File["file"]) != 1 {
		return parameter("The parameter file is required")
	}
	part := form.File["file"][0]
	in, err := part.Open()
	if err != nil {
		return parameter(err.Error())
	}
	defer func() { _ = in.Close() }() // only read
	content, err := io.ReadAll(in)
	given := part.Header.Get("Content-Type")
	switch {
	case err != nil:
		return parameter(err.Error())
	case strings.Join(form.Value["messaging_product"], "") != "whatsapp":
		return parameter("The parameter messaging_product is required.")
	case len(form.Value["type"]) != 1 || form.Value["type"][0] != given:
		return parameter("The parameter type is required.")
	case !slices.Contains(uploadable, given):
		return parameter("Param file must be a file with one of the following types: " + strings.Join(uploadable, ", ") + ". Received file of type '" + given + "'.")
	case strings.HasPrefix(given, "image/") && len(content) > 5<<20:
		return parameter("Image file too big")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	id := s.next("")
	s.files[id] = file{given, part.Filename, content}
	s.Happened()
	return yes(struct {
		ID string `json:"id"`
	}{id})
}

// mediaOf says where a file lies.
func (s *Server) mediaOf(id, number string) answer {
	s.mu.Lock()
	defer s.mu.Unlock()
	f, ok := s.files[id]
	if !ok || number != "" && number != s.Number {
		return no(http.StatusBadRequest, 100, "Unsupported get request. Object with ID '"+id+"' does not exist, cannot be loaded due to missing permissions, or does not support this operation")
	}
	sum := sha256.Sum256(f.content)
	return yes(struct {
		Product string `json:"messaging_product"`
		URL     string `json:"url"`
		Mime    string `json:"mime_type"`
		Sum     string `json:"sha256"`
		Size    string `json:"file_size"`
		ID      string `json:"id"`
	}{"whatsapp", s.MediaHost + attachments + "?mid=" + id + "&ext=1", f.kind, hex.EncodeToString(sum[:]), strconv.Itoa(len(f.content)), id})
}

func (s *Server) download(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	f, ok := s.files[r.URL.Query().Get("mid")]
	s.mu.Unlock()
	if !ok || r.URL.Query().Get("ext") == "" {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", f.kind)
	_, _ = w.Write(f.content) // who has gone does not read it
}
