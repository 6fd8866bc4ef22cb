package document

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net/mail"
	"net/textproto"
	"slices"
	"strings"

	"golang.org/x/text/encoding/htmlindex"

	"chela/internal/fault"
)

// maxMailParts bounds how deep the parts of a mail lie in each other.
const maxMailParts = 10

// A letter is a mail while it is read.
type letter struct {
	o     *opener
	name  string
	depth int // of the mail among containers
	plain []string
	html  []string
	files []attachment
	doc   *Doc // takes the problems
}

type attachment struct {
	name string
	raw  []byte
}

// mail reads a mail: who wrote what to whom, its text, and its attachments as
// documents of their own.
func (o *opener) mail(name string, raw []byte, depth int) error {
	m, err := mail.ReadMessage(bytes.NewReader(raw))
	if err != nil || len(m.Header) == 0 {
		return fault.Wrap(err, fault.Invalid, "%s is not a mail, although it is named so: it has no headers. Save it again from the mail program.", name)
	}
	d := Doc{Name: name, Kind: Mail}
	l := letter{o: o, name: name, depth: depth, doc: &d}
	l.part(textproto.MIMEHeader(m.Header), m.Body, 0)
	var text strings.Builder
	words := mime.WordDecoder{CharsetReader: charsetReader}
	for _, key := range []string{"Subject", "From", "To", "Date"} {
		v := m.Header.Get(key)
		if s, err := words.DecodeHeader(v); err == nil {
			v = s
		}
		if v = strings.Join(strings.Fields(strings.ToValidUTF8(v, "\ufffd")), " "); v != "" {
			fmt.Fprintf(&text, "%s: %s\n", key, v)
		}
	}
	body := l.plain
	if len(body) == 0 {
		body = l.html
	}
	if text.Len() == 0 && len(body)+len(l.files) == 0 {
		return fault.New(fault.Invalid, "%s is not a mail, although it is named so: it has no subject, sender or text. Save it again from the mail program.", name)
	}
	text.WriteString("\n" + strings.Join(body, "\n\n"))
	d.Text = strings.TrimSpace(newlines(text.String()))
	if d, err = d.checkText(); err != nil {
		return err
	}
	o.docs = append(o.docs, d)
	for _, f := range l.files {
		if o.members++; o.members > maxMembers {
			o.problems = append(o.problems, Problem{f.name, fmt.Sprintf("%s has more than %d attachments; this one and those behind it were left out.", name, maxMembers)})
			break
		}
		o.member(f.name, f.raw, depth)
	}
	return nil
}

// part reads one part of a mail and those in it.
func (l *letter) part(h textproto.MIMEHeader, body io.Reader, depth int) {
	kind, params, err := mime.ParseMediaType(h.Get("Content-Type"))
	if err != nil {
		kind, params = "text/plain", nil
	}
	if strings.HasPrefix(kind, "multipart/") && params["boundary"] != "" {
		if depth >= maxMailParts {
			l.problem(fmt.Sprintf("%s has parts nested more than %d deep; those were left out.", l.name, maxMailParts))
			return
		}
		l.parts(multipart.NewReader(body, params["boundary"]), depth)
		return
	}
	most := min(l.o.lim.Bytes, l.o.bytes)
	raw, err := io.ReadAll(io.LimitReader(plainly(h.Get("Content-Transfer-Encoding"), body), int64(most)+1))
	l.o.bytes -= min(len(raw), l.o.bytes)
	if len(raw) > most {
		l.problem(fmt.Sprintf("A part of %s is larger than %d bytes and was left out.", l.name, most))
		return
	}
	if err != nil {
		l.problem(fmt.Sprintf("A part of %s is damaged or was cut behind byte %d; what was before it was kept.", l.name, len(raw)))
	}
	_, disposition, _ := mime.ParseMediaType(h.Get("Content-Disposition")) // broken is none
	file := disposition["filename"]
	if file == "" {
		file = params["name"]
	}
	switch {
	case file != "":
		words := mime.WordDecoder{CharsetReader: charsetReader}
		if s, err := words.DecodeHeader(file); err == nil {
			file = s
		}
		l.files = append(l.files, attachment{l.name + "/" + strings.ToValidUTF8(strings.NewReplacer("/", "_", `\`, "_").Replace(file), "_"), raw})
	case kind == "message/rfc822":
		l.files = append(l.files, attachment{fmt.Sprintf("%s/mail%d.eml", l.name, len(l.files)+1), raw})
	case kind == "text/html":
		l.html = append(l.html, markdownOf(l.decode(raw, params["charset"])))
	case strings.HasPrefix(kind, "text/"):
		l.plain = append(l.plain, strings.TrimSpace(l.decode(raw, params["charset"])))
	}
}

func (l *letter) parts(r *multipart.Reader, depth int) {
	for {
		p, err := r.NextRawPart()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			l.problem(fmt.Sprintf("%s ends inside its parts: the file was cut. What was before was kept; save it again.", l.name))
			return
		}
		l.part(p.Header, p, depth+1)
	}
}

// problem notes what is wrong with the parts, once: the rest follows from it.
func (l *letter) problem(text string) {
	if slices.ContainsFunc(l.doc.Problems, func(p Problem) bool { return p.Where == "the parts" }) {
		return
	}
	l.doc.Problems = append(l.doc.Problems, Problem{"the parts", text})
}

// decode reads the characters of a text: as UTF-8 when they are, else as declared,
// else by evidence.
func (l *letter) decode(raw []byte, charset string) string {
	if enc, err := htmlindex.Get(charset); err == nil && charset != "" {
		if out, err := enc.NewDecoder().Bytes(raw); err == nil {
			return newlines(string(out))
		}
	}
	text, problems, err := decode(l.name, raw)
	if err != nil {
		l.problem(fault.TextOf(err))
	}
	l.doc.Problems = append(l.doc.Problems, problems...)
	return text
}

// plainly undoes the encoding that mails are sent in.
func plainly(encoding string, in io.Reader) io.Reader {
	switch strings.ToLower(strings.TrimSpace(encoding)) {
	case "base64":
		return base64.NewDecoder(base64.StdEncoding, in)
	case "quoted-printable":
		return quotedprintable.NewReader(in)
	}
	return in
}

func charsetReader(charset string, in io.Reader) (io.Reader, error) {
	enc, err := htmlindex.Get(charset)
	if err != nil {
		return nil, err
	}
	return enc.NewDecoder().Reader(in), nil
}
