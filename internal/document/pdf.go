package document

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/ledongthuc/pdf"

	"chela/internal/fault"
)

// Bounds of the pages of a pdf.
const (
	maxPages    = 2000
	maxPDFTime  = 20 * time.Second
	maxPDFText  = 32 << 20 // bytes of text
	maxPageSize = 4 << 20  // bytes of one page's content
	maxPageWork = 1 << 34  // bytes of content by bytes of its fonts' characters
)

var errLate = errors.New("the time is up")

// A deadline reads bytes until its time is up. Whatever goes round in circles in a pdf
// reads, and so it ends.
type deadline struct {
	*bytes.Reader
	until time.Time
}

func (d deadline) ReadAt(b []byte, off int64) (int, error) {
	if time.Now().After(d.until) {
		panic(errLate)
	}
	return d.Reader.ReadAt(b, off)
}

// readPDF reads the text of a pdf page by page. Pictures of text have none.
func readPDF(d Doc, raw []byte) (Doc, error) {
	d.Kind = PDF
	plain, cut, err := rebuildPDF(raw)
	if errors.Is(err, errLocked) {
		return d, fault.Wrap(err, fault.Invalid, "%s is protected by a password. Save it without protection, or send its text.", d.Name)
	}
	if err != nil {
		return d, damaged(err, d.Name, PDF)
	}
	until := time.Now().Add(maxPDFTime)
	pages, err := pagesOf(plain, until)
	if err != nil {
		return d, damaged(err, d.Name, PDF)
	}
	if cut {
		d.Problems = append(d.Problems, Problem{fmt.Sprintf("byte %d", len(raw)), fmt.Sprintf("%s is damaged or was cut; the text of what is whole was read. Save it again.", d.Name)})
	}
	var text strings.Builder
	bad := 0
	for i, page := range pages {
		if i >= maxPages || text.Len() > maxPDFText || time.Now().After(until) {
			d.Problems = append(d.Problems, Problem{fmt.Sprintf("page %d", i+1), fmt.Sprintf("%s is too large or too slow to read: %d of %d pages were read. Split it.", d.Name, i, len(pages))})
			break
		}
		words, err := pageText(page)
		if err != nil {
			if bad++; bad == 1 {
				d.Problems = append(d.Problems, Problem{fmt.Sprintf("page %d", i+1), fmt.Sprintf("Page %d of %s cannot be read, and others like it; they were left out.", i+1, d.Name)})
			}
		}
		if words != "" {
			text.WriteString(words + "\n\n")
		}
	}
	if d.Text = strings.TrimSpace(strings.ToValidUTF8(text.String(), "\ufffd")); d.Text == "" {
		return d, fault.New(fault.Invalid, "%s has no text that can be read: its %d pages may be pictures. Send its text, or the file that it was made from.", d.Name, len(pages))
	}
	return d.checkText()
}

// pagesOf lists the pages in their order, one more than are read.
func pagesOf(plain []byte, until time.Time) (pages []pdf.Page, err error) {
	defer func() {
		if r := recover(); r != nil { // the library panics on malformed objects
			err = fmt.Errorf("list pages: %v", r)
		}
	}()
	r, err := pdf.NewReader(deadline{bytes.NewReader(plain), until}, int64(len(plain)))
	if err != nil {
		return nil, err
	}
	open := []pdf.Value{r.Trailer().Key("Root").Key("Pages")}
	for steps := 0; len(open) > 0 && len(pages) <= maxPages && steps < 10*maxPages; steps++ {
		node := open[len(open)-1]
		open = open[:len(open)-1]
		kids := node.Key("Kids")
		if kids.Kind() != pdf.Array {
			if node.Kind() == pdf.Dict {
				pages = append(pages, pdf.Page{V: node})
			}
			continue
		}
		for i := min(kids.Len(), maxPages+1) - 1; i >= 0; i-- {
			open = append(open, kids.Index(i))
		}
	}
	if len(pages) == 0 {
		return nil, errors.New("the file has no pages")
	}
	return pages, nil
}

// pageText reads the text of a page, a line for each line.
func pageText(page pdf.Page) (text string, err error) {
	defer func() {
		if r := recover(); r != nil { // the library panics on malformed content
			text, err = "", fmt.Errorf("read page: %v", r)
		}
	}()
	if page.V.Key("Contents").IsNull() {
		return "", nil
	}
	if size := sizeOf(page.V.Key("Contents")); size > maxPageSize || size*charactersOf(page) > maxPageWork {
		return "", errors.New("the page is too large")
	}
	return lines(page.Content().Text, endsOf(page)), nil
}

// endsOf maps each font to what it makes of a line feed, which the library puts behind
// every piece of text.
func endsOf(page pdf.Page) map[string]string {
	ends := make(map[string]string)
	for _, name := range page.Fonts() {
		font := page.Font(name)
		base := font.BaseFont()
		base = base[strings.Index(base, "+")+1:]
		ends[base] = font.Encoder().Decode("\n")
	}
	return ends
}

func sizeOf(content pdf.Value) int64 {
	size := content.Key("Length").Int64()
	for i := range content.Len() {
		size += content.Index(i).Key("Length").Int64()
	}
	return size
}

// charactersOf is how large the largest table of characters of the page's fonts is.
func charactersOf(page pdf.Page) int64 {
	fonts := page.Resources().Key("Font")
	most := int64(1)
	for _, name := range fonts.Keys() {
		font := fonts.Key(name)
		most = max(most, font.Key("ToUnicode").Key("Length").Int64(), 8*int64(font.Key("Encoding").Key("Differences").Len()))
	}
	return most
}

// lines puts characters together: a line ends where the height changes, and a gap is a
// space. ends are what stands for the end of a piece of text in each font.
func lines(chars []pdf.Text, ends map[string]string) string {
	var b strings.Builder
	var before *pdf.Text
	for i := range chars {
		c := &chars[i]
		if c.S == "\n" || c.W == 0 && c.S == ends[c.Font] {
			continue
		}
		if before != nil {
			size := max(c.FontSize, -c.FontSize, 1)
			switch drop, gap := before.Y-c.Y, c.X-before.X-before.W; {
			case drop > 1.8*size:
				b.WriteString("\n\n")
			case drop > 0.5*size || drop < -0.5*size:
				b.WriteByte('\n')
			case gap > 0.2*size && before.S != " " && c.S != " ":
				b.WriteByte(' ')
			}
		}
		b.WriteString(c.S)
		before = c
	}
	out := strings.Split(b.String(), "\n")
	for i, line := range out {
		out[i] = strings.TrimRight(line, " ")
	}
	return strings.TrimSpace(strings.Join(out, "\n"))
}
