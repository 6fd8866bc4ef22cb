// Command tally reads what `go test -json` writes and prints what `go test` prints without
// that flag. Its last line is how many tests ran, for the table of .ci/run.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
)

func main() {
	if err := tally(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "tally:", err)
		os.Exit(1)
	}
}

// An event is a line of `go test -json`; `go doc test2json` has its meaning.
type event struct {
	Action, Package, Test, Output string
}

// A report is what is known of the packages that are not over.
type report struct {
	to      *bufio.Writer
	said    map[string]map[string][]string // package → test, "" for the package itself → lines
	order   map[string][]string            // the tests of a package as they began
	ran     int
	skipped int
}

// tally copies every line that is no event, so that nothing which the go command says is lost.
func tally(from io.Reader, to io.Writer) error {
	out := bufio.NewWriter(to)
	r := report{to: out, said: make(map[string]map[string][]string), order: make(map[string][]string)}
	lines := bufio.NewReader(from)
	for {
		line, err := lines.ReadString('\n')
		if line != "" {
			var e event
			if json.Unmarshal([]byte(line), &e) != nil || e.Action == "" {
				r.print(line)
			} else {
				r.take(e)
			}
			if err := out.Flush(); err != nil {
				return err
			}
		}
		if err == io.EOF { //nolint:errorlint // a reader's own
			break
		} else if err != nil {
			return err
		}
	}
	for name := range r.said { // cut off
		r.failed(name)
	}
	r.print(fmt.Sprintf("tests %d, of them skipped %d\n", r.ran, r.skipped))
	return out.Flush()
}

func (r *report) take(e event) {
	switch e.Action {
	case "build-output":
		r.print(e.Output)
	case "output":
		tests := r.said[e.Package]
		if tests == nil {
			tests = make(map[string][]string)
			r.said[e.Package] = tests
		}
		if _, known := tests[e.Test]; !known && e.Test != "" {
			r.order[e.Package] = append(r.order[e.Package], e.Test)
		}
		tests[e.Test] = append(tests[e.Test], e.Output)
	case "pass", "skip", "fail":
		r.ended(e)
	}
}

// ended counts a test and forgets what it said if it passed; of a package it prints what is left.
func (r *report) ended(e event) {
	if e.Test != "" {
		r.ran++
		if e.Action == "skip" {
			r.skipped++
		}
		if e.Action != "fail" {
			delete(r.said[e.Package], e.Test)
		}
		return
	}
	if e.Action == "fail" {
		r.failed(e.Package)
		return
	}
	for _, line := range r.said[e.Package][""] {
		if line != "PASS\n" {
			r.print(line)
		}
	}
	r.forget(e.Package)
}

// failed prints what the tests said that did not pass, and then what the package said.
func (r *report) failed(name string) {
	for _, test := range r.order[name] {
		lines, left := r.said[name][test]
		if !left {
			continue
		}
		lines = slices.DeleteFunc(lines, mark)
		end := slices.IndexFunc(lines, func(line string) bool { return strings.HasPrefix(strings.TrimLeft(line, " "), "--- FAIL") })
		if end < 0 {
			r.print(test + " did not end\n")
		} else { // the flag has it after what the test said
			lines = slices.Insert(slices.Delete(slices.Clone(lines), end, end+1), 0, lines[end])
		}
		indent := strings.Repeat("    ", strings.Count(test, "/"))
		for _, line := range lines {
			r.print(indent + line)
		}
	}
	for _, line := range r.said[name][""] {
		r.print(line)
	}
	r.forget(name)
}

// mark reports whether a line only says that a test goes on.
func mark(line string) bool {
	return slices.ContainsFunc([]string{"=== RUN", "=== PAUSE", "=== CONT", "=== NAME"}, func(m string) bool { return strings.HasPrefix(line, m) })
}

func (r *report) print(text string) { _, _ = r.to.WriteString(text) } // an error stays until Flush

func (r *report) forget(name string) {
	delete(r.said, name)
	delete(r.order, name)
}
