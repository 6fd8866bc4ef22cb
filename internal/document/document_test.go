package document_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"chela/internal/document"
	"chela/internal/fault"
)

func TestDocument_ReadCSV(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, file, text string
		header           string
		rows, problems   int
		line             int // of the last row
	}{
		{"plain", "a.csv", "Summary,Status\nOne,Done\nTwo,Open\n", "Summary|Status", 2, 0, 3},
		{"multi-line cell", "a.csv", "Summary,Text\n\"One\",\"a\nb \"\"c\"\"\"\nTwo,x\n", "Summary|Text", 2, 0, 4},
		{"semicolons", "a.csv", "Summary;Status\nOne, two;Done\nThree;Open\n", "Summary|Status", 2, 0, 3},
		{"tabs", "a.tsv", "Summary\tStatus\nOne\tDone\n", "Summary|Status", 1, 0, 2},
		{"preamble", "a.csv", "Export of today\n\nSummary,Status,Owner\nOne,Done,Ann\nTwo,Open,Bo\n", "Summary|Status|Owner", 2, 0, 5},
		{"cut inside a quote", "a.csv", "Summary,Text\nOne,x\nTwo,\"never ends\nand on", "Summary|Text", 1, 1, 2},
		{"NUL", "a.csv", "Summary,Text\nOne,x\x00y\nTwo,z\n", "Summary|Text", 2, 1, 3},
		{"ragged", "a.csv", "Summary,Text\nOne\nTwo,x,more\n", "Summary|Text", 2, 1, 3},
		{"repeated names", "a.csv", "Sprint,Sprint,Summary\n1,2,One\n", "Sprint|Sprint|Summary", 1, 0, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			d, err := document.Read(c.file, []byte(c.text), document.Limits{})
			if err != nil {
				t.Fatal(err)
			}
			tab := d.Tables[0]
			if got := strings.Join(tab.Header, "|"); got != c.header {
				t.Errorf("header %q, want %q", got, c.header)
			}
			if len(tab.Rows) != c.rows || len(d.Problems) != c.problems {
				t.Fatalf("%d rows, problems %v; want %d and %d", len(tab.Rows), d.Problems, c.rows, c.problems)
			}
			if got := tab.Rows[len(tab.Rows)-1].Line; got != c.line {
				t.Errorf("last row at line %d, want %d", got, c.line)
			}
		})
	}
}

func TestDocument_ReadRefusesWhatItCannotUse(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, file string
		raw        []byte
		kind       fault.Kind
	}{
		{"empty", "a.csv", []byte(" \n"), fault.Invalid},
		{"binary", "a.csv", append([]byte{0, 1, 2, 3, 0xff}, make([]byte, 400)...), fault.Invalid},
		{"too large", "a.txt", []byte(strings.Repeat("x", 200)), fault.TooLarge},
		{"unknown kind", "a.exe", []byte("hello"), fault.Invalid},
		{"broken xlsx", "a.xlsx", []byte("PK\x03\x04 not really"), fault.Invalid},
		{"broken json", "a.json", []byte(`{"a": `), fault.Invalid},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := document.Read(c.file, c.raw, document.Limits{Bytes: 199 + 300})
			if c.name == "too large" {
				_, err = document.Read(c.file, c.raw, document.Limits{Bytes: 199})
			}
			if fault.KindOf(err) != c.kind || err == nil {
				t.Fatalf("error %v of kind %v, want %v", err, fault.KindOf(err), c.kind)
			}
			if !strings.Contains(fault.TextOf(err), c.file) {
				t.Errorf("the sentence does not name the file: %s", fault.TextOf(err))
			}
		})
	}
}

func TestDocument_Sniff(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]document.Kind{
		"Key,Summary,Status\nA-1,x,Done\nA-2,y,Open\n": document.CSV,
		"We met and talked, mostly.\nThen we left.\n":  document.Text,
		"# Minutes\nHello, all\n":                      document.Markdown,
		`[{"key":"A-1"}]`:                              document.JSON,
	} {
		if got := document.Sniff(text); got != want {
			t.Errorf("%q is %s, want %s", text, got, want)
		}
	}
}

// TestDocument_RealExports reads the project's example exports where they lie beside it.
func TestDocument_RealExports(t *testing.T) {
	t.Parallel()
	want := map[string]int{
		"hadoop_native_2503.csv": 2503, "hadoop_300.tsv": 300, "hadoop_300.xlsx": 300, "hadoop_300_cp1252_semicolon.csv": 300,
		"hadoop_300_utf16le_bom_semicolon.csv": 300,
	}
	files, err := filepath.Glob("../../../shared/data/jira/*")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		raw, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		d, err := document.Read(filepath.Base(f), raw, document.Limits{})
		if err != nil {
			t.Errorf("%s: %v", f, err)
			continue
		}
		n := len(d.Tables[0].Rows)
		t.Logf("%s: %d rows, %d problems %v", filepath.Base(f), n, len(d.Problems), d.Problems)
		if w := want[filepath.Base(f)]; w != 0 && n != w {
			t.Errorf("%s: %d rows, want %d", f, n, w)
		}
		if strings.Contains(f, "truncated") && (len(d.Problems) != 1 || n < 100) {
			t.Errorf("%s: %d rows, %v", f, n, d.Problems)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add("a.csv", []byte("a,b\n\"c\n"))
	f.Add("a.tsv", []byte("a\tb\n1\t2"))
	f.Add("a.json", []byte(`[{"fields":{"a":[{"name":"x"}]}}]`))
	f.Add("a.xlsx", []byte("PK\x03\x04"))
	f.Add("a.txt", []byte("\xff\xfea\x00,\x00"))
	f.Fuzz(func(t *testing.T, name string, raw []byte) {
		d, err := document.Read(name, raw, document.Limits{Bytes: 1 << 20, Rows: 1000})
		if err != nil {
			return
		}
		for _, tab := range d.Tables {
			for _, r := range tab.Rows {
				if len(r.Cells) != len(tab.Header) {
					t.Fatalf("a row has %d cells, the header %d", len(r.Cells), len(tab.Header))
				}
			}
		}
	})
}
