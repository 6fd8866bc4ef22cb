// Memorybench measures recall on files of conversations with questions; docs/memory.md says how they are written. It
// is what make bench-memory runs. Without a file it measures the sets that come with the tests.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"chela/internal/model"
	"chela/internal/model/openai"
	"chela/internal/model/static"
	"chela/internal/recall"
	"chela/internal/testkit/recalltest"
)

func main() {
	write := flag.String("write", "", "write the sets that come with the tests to this folder, and measure nothing")
	flag.Parse()
	if err := run(os.Stdout, *write, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "memorybench:", err)
		os.Exit(1)
	}
}

func run(out io.Writer, write string, files []string) error {
	sets, err := load(files)
	if err != nil {
		return err
	}
	if write != "" {
		for _, s := range sets {
			raw, err := json.MarshalIndent(s, "", " ")
			if err != nil {
				return err
			}
			if err := os.WriteFile(filepath.Join(write, s.Name+".json"), raw, 0o600); err != nil {
				return err
			}
		}
		return nil
	}
	embed, err := embedder(os.Getenv)
	if err != nil {
		return err
	}
	var report strings.Builder
	for _, s := range sets {
		score, err := recalltest.Measure([]recalltest.Set{s}, recall.Options{}, embed)
		if err != nil {
			return err
		}
		fmt.Fprintf(&report, "%s: %d conversations, %d questions\n", s.Name, len(s.Conversations), len(s.Questions))
		table(&report, score)
	}
	costs, err := parts(&report, sets, embed)
	if err != nil {
		return err
	}
	if _, err := io.WriteString(out, report.String()); err != nil {
		return err
	}
	if len(costs) > 0 {
		return fmt.Errorf("these parts do not earn their place on these sets: %v", costs)
	}
	return nil
}

// embedder gives the vectors of the file in the folder that CHELA_BENCH_STATIC names, or of the model CHELA_BENCH_EMBEDDING of the
// server CHELA_BENCH_EMBEDDING_URL, such as http://127.0.0.1:11434/v1; nil when neither is named.
func embedder(getenv func(string) string) (recalltest.Embed, error) {
	var e model.Embedder
	name := getenv("CHELA_BENCH_EMBEDDING")
	switch dir := getenv("CHELA_BENCH_STATIC"); {
	case dir != "":
		m, err := static.Open(dir)
		if err != nil {
			return nil, err
		}
		e = m
	case name != "":
		m, err := openai.Open(model.Provider{Name: "bench", Kind: model.KindOpenAI, BaseURL: getenv("CHELA_BENCH_EMBEDDING_URL"), Key: getenv("CHELA_BENCH_EMBEDDING_KEY")}, model.NewHTTPClient())
		if err != nil {
			return nil, err
		}
		e = m.(model.Embedder) //nolint:forcetypeassert // as the package says
	default:
		return nil, nil
	}
	known := make(map[string][]float32)
	return func(texts []string) ([][]float32, error) {
		out := make([][]float32, len(texts))
		for from := 0; from < len(texts); from += 64 {
			part := texts[from:min(len(texts), from+64)]
			if known[part[0]] == nil || len(part) > 1 {
				vectors, _, err := e.Embed(context.Background(), name, part) //nolint:forbidigo // the program is its main
				if err != nil {
					return nil, err
				}
				for i, t := range part {
					known[t] = vectors[i]
				}
			}
			for i, t := range part {
				out[from+i] = known[t]
			}
		}
		return out, nil
	}, nil
}

func load(files []string) ([]recalltest.Set, error) {
	if len(files) == 0 {
		return recalltest.Own()
	}
	var out []recalltest.Set
	for _, f := range files {
		raw, err := os.ReadFile(f) //nolint:gosec // the file that the caller names
		if err != nil {
			return nil, err
		}
		s, err := recalltest.Decode(filepath.Base(f), raw)
		if err != nil {
			return nil, err
		}
		out = append(out, s)
	}
	return out, nil
}

// table writes what was reached by kind.
func table(out *strings.Builder, s recalltest.Score) {
	for _, t := range []struct {
		of      string
		tallies map[string]recalltest.Tally
	}{{"sessions", s.Sessions}, {"turns", s.Turns}} {
		fmt.Fprintf(out, "  %-22s %5s %7s %7s %7s %7s %7s\n", t.of, "n", "hit@1", "hit@5", "hit@10", "all@5", "all@10")
		kinds := make([]string, 0, len(t.tallies))
		for k := range t.tallies {
			kinds = append(kinds, k)
		}
		slices.Sort(kinds)
		for _, k := range kinds {
			x, name := t.tallies[k], k
			if k == "" {
				name = "all"
			}
			fmt.Fprintf(out, "    %-20s %5d %7.1f %7.1f %7.1f %7.1f %7.1f\n", name, x.Questions, x.Rate(x.Hit[1]), x.Rate(x.Hit[5]), x.Rate(x.Hit[10]), x.Rate(x.All[5]), x.Rate(x.All[10]))
		}
	}
	if s.Unanswerable > 0 {
		fmt.Fprintf(out, "  without evidence: %d, of which %d find no more than noise\n", s.Unanswerable, s.Silent)
	}
	if s.Unknown > 0 {
		fmt.Fprintf(out, "  %d ids of evidence are in no conversation and were left out\n", s.Unknown)
	}
	took := slices.Sorted(slices.Values(s.Took))
	if len(took) > 0 {
		fmt.Fprintf(out, "  a question: p50 %.2f ms, p95 %.2f ms; %d bytes in ten turns; %d bytes of text in all\n",
			ms(took[len(took)/2]), ms(took[len(took)*95/100]), s.Bytes/len(took), s.Indexed)
	}
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// parts writes what each part of the ranking is worth over all sets, and returns those that cost.
func parts(out *strings.Builder, sets []recalltest.Set, embed recalltest.Embed) ([]recall.Part, error) {
	all, err := recalltest.Measure(sets, recall.Options{}, embed)
	if err != nil {
		return nil, err
	}
	gains, err := recalltest.Gains(sets, all, embed)
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(out, "parts, over all sets (%.2f points with all; points are 100 where all evidence comes first)\n", all.Combined())
	fmt.Fprintf(out, "  %-12s %8s %8s %8s\n", "without", "changes", "points", "error")
	var costs []recall.Part
	for _, g := range gains {
		verdict := ""
		if g.Costs() {
			verdict, costs = "  better without", append(costs, g.Part)
		}
		fmt.Fprintf(out, "  %-12s %8d %+8.2f %8.2f%s\n", g.Part, g.Used, -g.Gain, g.Error, verdict)
	}
	return costs, nil
}
