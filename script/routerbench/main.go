// Routerbench measures on files of messages how well the router finds what they ask for, without a model; docs/workflows.md says how
// they are written. It is what make bench-router runs. Without a file it measures the sets of the tests.
package main

import (
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"chela/internal/testkit/routertest"
)

func main() {
	if err := run(os.Stdout, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "routerbench:", err)
		os.Exit(1)
	}
}

func run(out io.Writer, files []string) error {
	sets := routertest.Sets()
	if len(files) > 0 {
		var err error
		if sets, err = load(files); err != nil {
			return err
		}
	}
	for _, s := range sets {
		began := time.Now()
		score := routertest.Measure(s)
		if _, err := fmt.Fprintf(out, "%s: %s  %.1f s\n\n", s.Name, score, time.Since(began).Seconds()); err != nil {
			return err
		}
	}
	return nil
}

// load reads files. One that has only examples or only messages belongs with the others of that sort.
func load(files []string) ([]routertest.Set, error) {
	var sets []routertest.Set
	var parts routertest.Set
	for _, name := range files {
		s, err := read(name)
		if err != nil {
			return nil, err
		}
		if len(s.Examples) > 0 && len(s.Messages) > 0 {
			sets = append(sets, s)
			continue
		}
		if parts.Name != "" {
			parts.Name += " + "
		}
		parts.Name += s.Name
		parts.Examples, parts.Messages = slices.Concat(parts.Examples, s.Examples), slices.Concat(parts.Messages, s.Messages)
	}
	switch {
	case parts.Name == "":
	case len(parts.Examples) == 0 || len(parts.Messages) == 0:
		return nil, fmt.Errorf("%s: there is nothing to learn from, or nothing to measure", parts.Name)
	default:
		sets = append(sets, parts)
	}
	return sets, nil
}

func read(name string) (routertest.Set, error) {
	f, err := os.Open(name) //nolint:gosec // named by who runs it
	if err != nil {
		return routertest.Set{}, err
	}
	defer func() { _ = f.Close() }() // read only
	return routertest.Read(name, f)
}
