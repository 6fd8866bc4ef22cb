// Minuteslearn writes the weights with which minutes are read beside the rules, from the labelled passages that are not
// held out and the texts to practice on. With -check it writes nothing, and prints for each author how well weights read
// that were learnt from all others.
package main

import (
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"

	"chela/internal/extract"
	"chela/internal/testkit/extracttest"
)

const (
	measured = "internal/extract/testdata/minutes"
	practice = "internal/extract/testdata/practice"
	weights  = "internal/extract/weights.bin"
)

func main() {
	check := flag.Bool("check", false, "print how well authors are read that were not learnt from, and write nothing")
	flag.Parse()
	if err := run(os.Stdout, *check); err != nil {
		fmt.Fprintln(os.Stderr, "minuteslearn:", err)
		os.Exit(1)
	}
}

func run(out io.Writer, check bool) error {
	all, err := extracttest.LearntFrom(os.DirFS(measured), os.DirFS(practice))
	if err != nil {
		return err
	}
	if check {
		return crossed(out, all)
	}
	examples := extracttest.Examples(all)
	file := extracttest.Learn(examples, extracttest.Digest(examples))
	if err := os.WriteFile(weights, file, 0o644); err != nil { //nolint:gosec // a file of the repository
		return fmt.Errorf("write weights: %w", err)
	}
	_, err = fmt.Fprintf(out, "%d texts, %d sentences, %d actions, %d decisions, %d names, %d of who was there: %d bytes of weights\n",
		len(all), len(examples.Sentences), examples.Actions, examples.Decisions, len(examples.Names), examples.Heres, len(file))
	return err
}

// crossed prints what rules alone and rules with weights find of each author, where the weights have not met the author.
func crossed(out io.Writer, all []extracttest.Passage) error {
	authors := make(map[int]bool)
	for _, p := range all {
		authors[extracttest.Author(p)] = true
	}
	for _, author := range slices.Sorted(maps.Keys(authors)) {
		if author == 0 { // without all labels
			continue
		}
		is := func(p extracttest.Passage) bool { return extracttest.Author(p) == author }
		examples := extracttest.Examples(extracttest.Of(all, func(p extracttest.Passage) bool { return !is(p) }))
		w, err := extract.NewWeights(extracttest.Learn(examples, extracttest.Digest(examples)))
		if err != nil {
			return err
		}
		alone, _ := extracttest.RunWith(extracttest.Of(all, is), nil)
		both, _ := extracttest.RunWith(extracttest.Of(all, is), w)
		if _, err := fmt.Fprintf(out, "author %d, rules alone   %s\nauthor %d, with weights  %s\n", author, extracttest.Line(alone), author, extracttest.Line(both)); err != nil {
			return err
		}
	}
	return nil
}
