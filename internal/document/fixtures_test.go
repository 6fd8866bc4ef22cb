package document_test

import (
	"archive/zip"
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"fmt"
	"math"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/xuri/excelize/v2"

	"chela/internal/document"
)

// A packed is one member of an archive that a test makes.
type packed struct {
	name string
	raw  []byte
}

func zipOf(members ...packed) []byte {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, m := range members {
		w, err := z.Create(m.name)
		if err != nil {
			panic(err)
		}
		if _, err := w.Write(m.raw); err != nil {
			panic(err)
		}
	}
	if err := z.Close(); err != nil {
		panic(err)
	}
	return b.Bytes()
}

func xlsxOf(rows ...[]any) []byte {
	f := excelize.NewFile()
	w, err := f.NewStreamWriter("Sheet1")
	if err != nil {
		panic(err)
	}
	for i, r := range rows {
		if err := w.SetRow(fmt.Sprintf("A%d", i+1), r); err != nil {
			panic(err)
		}
	}
	if err := w.Flush(); err != nil {
		panic(err)
	}
	b, err := f.WriteToBuffer()
	if err != nil {
		panic(err)
	}
	return b.Bytes()
}

// docxOf is a Word file with a body; its style "Kop2" is a second heading.
func docxOf(body string) []byte {
	return zipOf(
		packed{"[Content_Types].xml", []byte(`<Types/>`)},
		packed{"word/styles.xml", []byte(`<w:styles xmlns:w="w"><w:style w:styleId="Kop2"><w:name w:val="heading 2"/></w:style></w:styles>`)},
		packed{"word/document.xml", []byte(`<w:document xmlns:w="w"><w:body>` + body + `</w:body></w:document>`)},
	)
}

// pdfOf is a pdf with one page for each content stream.
func pdfOf(flate bool, pages ...string) []byte {
	objects := []string{"<< /Type /Catalog /Pages 2 0 R >>", "", "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>"}
	var kids []string
	for i, content := range pages {
		filter := ""
		if flate {
			var b bytes.Buffer
			w := zlib.NewWriter(&b)
			_, _ = w.Write([]byte(content))
			_ = w.Close()
			content, filter = b.String(), "/Filter /FlateDecode "
		}
		kids = append(kids, fmt.Sprintf("%d 0 R", 4+2*i))
		objects = append(
			objects,
			fmt.Sprintf("<< /Type /Page /Parent 2 0 R /Contents %d 0 R /Resources << /Font << /F1 3 0 R >> >> >>", 5+2*i),
			fmt.Sprintf("<< %s/Length %d >>\nstream\n%s\nendstream", filter, len(content), content),
		)
	}
	objects[1] = fmt.Sprintf("<< /Type /Pages /Count %d /Kids [%s] >>", len(kids), strings.Join(kids, " "))
	return pdfWith("", objects...)
}

// pdfWith is a pdf of objects, the first of which is its catalog.
func pdfWith(trailer string, objects ...string) []byte {
	var b, table bytes.Buffer
	b.WriteString("%PDF-1.4\n")
	for i, o := range objects {
		fmt.Fprintf(&table, "%010d 00000 n \n", b.Len())
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", i+1, o)
	}
	at := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n%strailer\n<< /Size %d /Root 1 0 R %s >>\nstartxref\n%d\n%%%%EOF\n", len(objects)+1, table.String(), len(objects)+1, trailer, at)
	return b.Bytes()
}

// oleOf is a compound file with streams.
func oleOf(streams ...packed) []byte {
	const sector, free, end, isFAT = 512, 0xffffffff, 0xfffffffe, 0xfffffffd
	type chain struct{ first, count int }
	sectors := func(n int) int { return (n + sector - 1) / sector }
	dirs := sectors(128 * (len(streams) + 1))
	total := dirs
	var chains []chain
	for i := range streams {
		if n := len(streams[i].raw); n < 4096 { // shorter ones lie in the mini stream
			streams[i].raw = append(bytes.Clone(streams[i].raw), make([]byte, 4096-n)...)
		}
		chains = append(chains, chain{total, sectors(len(streams[i].raw))})
		total += chains[i].count
	}
	fats := 1
	for fats*sector/4 < total+fats {
		fats++
	}
	put := binary.LittleEndian.PutUint32
	out := make([]byte, sector*(1+fats+total))
	copy(out, "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")
	binary.LittleEndian.PutUint16(out[24:], 0x3e)
	binary.LittleEndian.PutUint16(out[26:], 3)
	binary.LittleEndian.PutUint16(out[28:], 0xfffe)
	binary.LittleEndian.PutUint16(out[30:], 9)
	binary.LittleEndian.PutUint16(out[32:], 6)
	put(out[44:], uint32(fats))
	put(out[48:], uint32(fats)) // directory
	put(out[56:], 4096)
	put(out[60:], end)
	put(out[68:], end)
	fat := out[sector:]
	for i := range fats * sector / 4 {
		put(fat[4*i:], free)
	}
	for i := range 109 {
		put(out[76+4*i:], free)
		if i < fats {
			put(out[76+4*i:], uint32(i))
			put(fat[4*i:], isFAT)
		}
	}
	link := func(first, count int) {
		for i := range count {
			put(fat[4*(fats+first+i):], uint32(fats+first+i+1))
		}
		put(fat[4*(fats+first+count-1):], end)
	}
	link(0, dirs)
	entry := func(n int, name string, kind byte, right, child, start uint32, size int) {
		e := out[sector*(1+fats)+128*n:]
		for i, u := range utf16.Encode([]rune(name)) {
			binary.LittleEndian.PutUint16(e[2*i:], u)
		}
		binary.LittleEndian.PutUint16(e[64:], uint16(2*len(name)+2))
		e[66], e[67] = kind, 1
		put(e[68:], free)
		put(e[72:], right)
		put(e[76:], child)
		put(e[116:], start)
		put(e[120:], uint32(size))
	}
	entry(0, "Root Entry", 5, free, 1, end, 0)
	for i, s := range streams {
		right := uint32(free)
		if i+1 < len(streams) {
			right = uint32(i + 2)
		}
		entry(i+1, s.name, 2, right, free, uint32(fats+chains[i].first), len(s.raw))
		copy(out[sector*(1+fats+chains[i].first):], s.raw)
		link(chains[i].first, chains[i].count)
	}
	return out
}

// rec is one record of a workbook.
func rec(kind uint16, data ...any) []byte {
	var b bytes.Buffer
	for _, d := range data {
		if s, ok := d.(string); ok {
			b.WriteString(s)
		} else if err := binary.Write(&b, binary.LittleEndian, d); err != nil {
			panic(err)
		}
	}
	head := binary.LittleEndian.AppendUint16(nil, kind)
	return append(binary.LittleEndian.AppendUint16(head, uint16(b.Len())), b.Bytes()...)
}

// workbook is an Excel 97 workbook with one sheet of the records given; its strings are
// "Key", "Zoë" in wide characters, and "split" over two records. XF 1 is a date, XF 2 a
// date of an own format.
func workbook(cells ...[]byte) []byte {
	head := func(at uint32) []byte {
		return bytes.Join([][]byte{
			rec(0x809, uint16(0x600), uint16(5), uint64(0), uint32(0)),
			rec(0x41e, uint16(170), uint16(10), byte(0), "yyyy\\-mm\\-d"),
			rec(0xe0, uint16(0), uint16(0), uint64(0)),
			rec(0xe0, uint16(0), uint16(14), uint64(0)),
			rec(0xe0, uint16(0), uint16(170), uint64(0)),
			rec(0x85, at, uint16(0), byte(6), byte(0), "Issues"),
			rec(0xfc, uint32(3), uint32(3), uint16(3), byte(0), "Key", uint16(3), byte(1), uint16('Z'), uint16('o'), uint16('ë'), uint16(5), byte(0), "spl"),
			rec(0x3c, byte(1), uint16('i'), uint16('t')),
			rec(0x0a),
		}, nil)
	}
	out := head(uint32(len(head(0))))
	out = append(out, rec(0x809, uint16(0x600), uint16(0x10), uint64(0), uint32(0))...)
	out = append(out, bytes.Join(cells, nil)...)
	return append(out, rec(0x0a)...)
}

// issues are the cells of a small sheet.
func issues() []byte {
	return workbook(
		rec(0xfd, uint16(0), uint16(0), uint16(0), uint32(0)),                                                // Key
		rec(0x204, uint16(0), uint16(1), uint16(0), uint16(5), byte(0), "Owner"),                             // label
		rec(0x204, uint16(0), uint16(2), uint16(0), uint16(3), byte(0), "Due"),                               //
		rec(0x204, uint16(0), uint16(3), uint16(0), uint16(6), byte(0), "Points"),                            //
		rec(0x204, uint16(0), uint16(4), uint16(0), uint16(4), byte(0), "Sum "),                              //
		rec(0xfd, uint16(1), uint16(0), uint16(0), uint32(2)),                                                // split
		rec(0xfd, uint16(1), uint16(1), uint16(0), uint32(1)),                                                // Zoë
		rec(0x203, uint16(1), uint16(2), uint16(1), math.Float64bits(44469)),                                 // a day
		rec(0x27e, uint16(1), uint16(3), uint16(0), uint32(350<<2|3)),                                        // 3.5
		rec(0x06, uint16(1), uint16(4), uint16(0), math.Float64bits(8), uint16(0), uint32(0)),                // 8
		rec(0x204, uint16(2), uint16(0), uint16(0), uint16(3), byte(0), "A-2"),                               //
		rec(0xbd, uint16(2), uint16(2), uint16(2), uint32(44469<<2|2), uint16(0), uint32(5<<2|2), uint16(3)), // a day, 5
		rec(0x06, uint16(2), uint16(4), uint16(0), byte(0), uint32(0), byte(0), uint16(0xffff), uint16(0), uint32(0)),
		rec(0x207, uint16(4), byte(0), "text"),
	)
}

// cells shows the rows of a table, one line each.
func cells(t document.Table) string {
	var b strings.Builder
	b.WriteString(strings.Join(t.Header, "|"))
	for _, r := range t.Rows {
		b.WriteString("\n" + strings.Join(r.Cells, "|"))
	}
	return b.String()
}

// read reads a document that must be readable.
func read(t *testing.T, name string, raw []byte) document.Doc {
	t.Helper()
	d, err := document.Read(name, raw, document.Limits{})
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return d
}

// same compares what was read with what was meant.
func same(t *testing.T, what, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("%s is\n%s\nwant\n%s", what, got, want)
	}
}
