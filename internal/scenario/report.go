package scenario

import (
	"context"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"chela/internal/fault"
)

// A Named is a scenario with the name of its file.
type Named struct {
	Name string
	File File
}

// Load reads files. Every one that cannot be read or does not fit is in the error.
func Load(names []string) ([]Named, error) {
	var out []Named
	var wrong []string
	for _, name := range names {
		raw, err := os.ReadFile(name) //nolint:gosec // the caller names it
		if err != nil {
			wrong = append(wrong, fmt.Sprintf("The file %s cannot be read; is the path right?", name))
			continue
		}
		f, err := Read(raw)
		if err != nil {
			wrong = append(wrong, fmt.Sprintf("%s does not fit: %s", name, fault.TextOf(err)))
			continue
		}
		out = append(out, Named{name, f})
	}
	if len(wrong) > 0 {
		return nil, fault.New(fault.Invalid, "%s", strings.Join(wrong, "\n"))
	}
	return out, nil
}

// PlayAll plays scenarios; the results are in the order of the files.
func PlayAll(ctx context.Context, files []Named, o Options) []Result {
	out := make([]Result, len(files))
	drop, err := o.prepare(ctx)
	if err != nil {
		for i, f := range files {
			out[i] = Result{Name: filepath.Base(f.Name)}
			out[i].fail(err)
		}
		return out
	}
	free := make(chan struct{}, max(o.Parallel, 1)) // holds one token for each that plays
	var all sync.WaitGroup
	for i, f := range files {
		free <- struct{}{}
		all.Go(func() {
			defer func() { <-free }()
			out[i] = Play(ctx, f.Name, f.File, o)
		})
	}
	all.Wait()
	if err := drop(); err != nil && len(out) > 0 {
		out[len(out)-1].fail(err)
	}
	return out
}

// Failed counts the results that do not hold.
func Failed(results []Result) int {
	n := 0
	for _, r := range results {
		if !r.OK() {
			n++
		}
	}
	return n
}

// Formats are the forms of a report.
func Formats() []string { return []string{"text", "json", "junit"} }

// Report writes results in a format.
func Report(w io.Writer, format string, results []Result) error {
	switch format {
	case "text":
		return text(w, results)
	case "json":
		enc := json.NewEncoder(w)
		enc.SetIndent("", "  ")
		return enc.Encode(results)
	case "junit":
		return junit(w, results)
	}
	return fault.BadField("report", "The format "+format+" is not known.", Formats()...)
}

func text(w io.Writer, results []Result) error {
	var b strings.Builder
	for _, r := range results {
		for _, c := range r.Checks {
			mark := "PASS"
			if !c.OK {
				mark = "FAIL"
			}
			fmt.Fprintf(&b, "%s  %s: %s\n", mark, r.Name, c.Text)
		}
	}
	fmt.Fprintf(&b, "%d scenarios, %d failed\n", len(results), Failed(results))
	_, err := io.WriteString(w, b.String())
	return err
}

type junitSuites struct {
	XMLName  xml.Name     `xml:"testsuites"`
	Tests    int          `xml:"tests,attr"`
	Failures int          `xml:"failures,attr"`
	Suites   []junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Time     string      `xml:"time,attr"` // seconds
	Cases    []junitCase `xml:"testcase"`
}

type junitCase struct {
	Class   string        `xml:"classname,attr"`
	Name    string        `xml:"name,attr"`
	Failure *junitFailure `xml:"failure"`
}

type junitFailure struct {
	Message string `xml:"message,attr"`
}

// junit writes what build servers read: a suite for a file, a case for a check.
func junit(w io.Writer, results []Result) error {
	all := junitSuites{}
	for _, r := range results {
		s := junitSuite{Name: r.Name, Tests: len(r.Checks), Time: fmt.Sprintf("%.3f", r.Took.Seconds())}
		for _, c := range r.Checks {
			one := junitCase{Class: r.Name, Name: c.Text}
			if !c.OK {
				one.Failure = &junitFailure{c.Text}
				s.Failures++
			}
			s.Cases = append(s.Cases, one)
		}
		all.Tests, all.Failures, all.Suites = all.Tests+s.Tests, all.Failures+s.Failures, append(all.Suites, s)
	}
	raw, err := xml.MarshalIndent(all, "", "  ")
	if err != nil {
		return fmt.Errorf("encode the report: %w", err)
	}
	_, err = w.Write(append([]byte(xml.Header), append(raw, '\n')...))
	return err
}
