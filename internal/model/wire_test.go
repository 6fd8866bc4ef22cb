package model_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"chela/internal/model"
	"chela/internal/model/anthropic"
	"chela/internal/model/gemini"
	"chela/internal/model/openai"
)

// A vendor is a wire as its provider writes it.
type vendor struct {
	open  model.Opener
	text  func(string) string
	end   string
	whole string
}

func vendors() map[string]vendor {
	return map[string]vendor{
		"openai": {
			openai.Open,
			func(s string) string { return `data: {"choices":[{"delta":{"content":"` + s + `"}}]}` + "\n\n" },
			`data: {"choices":[{"delta":{},"finish_reason":"stop"}],"usage":{"prompt_tokens":5,"completion_tokens":3}}` + "\n\ndata: [DONE]\n\n",
			`{"choices":[{"message":{"content":"Whole."},"finish_reason":"stop"}]}`,
		},
		"anthropic": {
			anthropic.Open,
			func(s string) string {
				return `data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"` + s + `"}}` + "\n\n"
			},
			`data: {"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"input_tokens":5,"output_tokens":3}}` + "\n\n" + `data: {"type":"message_stop"}` + "\n\n",
			`{"type":"message","content":[{"type":"text","text":"Whole."}],"stop_reason":"end_turn"}`,
		},
		"gemini": {
			gemini.Open,
			func(s string) string {
				return `data: {"candidates":[{"content":{"parts":[{"text":"` + s + `"}]}}]}` + "\n\n"
			},
			`data: {"candidates":[{"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":5,"candidatesTokenCount":3}}` + "\n\n",
			`{"candidates":[{"content":{"parts":[{"text":"Whole."}]},"finishReason":"STOP"}]}`,
		},
	}
}

// begin is what Anthropic's stream begins with; the other wire passes over it.
const begin = `data: {"type":"message_start","message":{"type":"message"}}` + "\n\n" + `data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}` + "\n\n"

// A reply is one answer of a provider, whose connection may break after its body.
type reply struct {
	status int
	header http.Header
	body   string
	breaks bool
	wait   time.Duration // before the body
	stall  bool          // nothing comes after it
}

// waiting is a body that comes late, or stalls, and ends with its call.
type waiting struct {
	io.Reader
	ctx  context.Context //nolint:containedctx // a body belongs to its call
	wait time.Duration
}

func (w *waiting) Read(p []byte) (int, error) {
	if w.wait > 0 {
		time.Sleep(w.wait) // in the time of the test
		w.wait = 0
	}
	n, err := w.Reader.Read(p)
	if errors.Is(err, errStall) {
		<-w.ctx.Done()
		err = w.ctx.Err()
	}
	return n, err
}

var errStall = errors.New("stalled")

// provider answers in turn, the last again and again, and counts.
func provider(t *testing.T, open model.Opener, replies ...reply) (m model.Model, bodies *[]string, asked *[]time.Time) {
	t.Helper()
	bodies, asked = new([]string), new([]time.Time)
	m, err := open(model.Provider{Name: "acme", BaseURL: "http://acme.test"}, &http.Client{Transport: trip(func(r *http.Request) (*http.Response, error) {
		sent, err := io.ReadAll(r.Body)
		if err != nil {
			return nil, err
		}
		next := replies[min(len(*bodies), len(replies)-1)]
		*bodies, *asked = append(*bodies, string(sent)), append(*asked, time.Now())
		var body io.Reader = strings.NewReader(next.body)
		if next.breaks {
			body = io.MultiReader(body, iotest.ErrReader(io.ErrUnexpectedEOF))
		}
		if next.stall {
			body = io.MultiReader(body, iotest.ErrReader(errStall))
		}
		return &http.Response{StatusCode: next.status, Header: next.header, Body: io.NopCloser(&waiting{body, r.Context(), next.wait})}, nil
	})})
	if err != nil {
		t.Fatal(err)
	}
	return model.Retry(m), bodies, asked
}

func TestWire_AProviderThatSaysWhenIsAskedThen(t *testing.T) {
	t.Parallel()
	for name, w := range vendors() {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m, _, asked := provider(t, w.open,
					reply{status: 429, header: http.Header{"Retry-After": {"7"}}},
					reply{status: 503, header: http.Header{"Retry-After": {time.Now().Add(27 * time.Second).UTC().Format(http.TimeFormat)}}},
					reply{status: 529},
					reply{status: 200, body: w.whole})
				a, err := m.Generate(t.Context(), model.Request{Model: "m"}, nil)
				if err != nil || a.Text != "Whole." || a.Attempts != 4 || len(*asked) != 4 {
					t.Fatalf("%+v %v after %d calls", a, err, len(*asked))
				}
				at := *asked
				if first, second, third := at[1].Sub(at[0]), at[2].Sub(at[1]), at[3].Sub(at[2]); first != 7*time.Second || second != 20*time.Second || third < 6*time.Second || third > 10*time.Second {
					t.Errorf("it waits %s, %s and %s", first, second, third)
				}
				if a.Duration != time.Since(at[0]) {
					t.Errorf("it says that it took %s", a.Duration)
				}
			})
		})
	}
}

// TestWire_ThoseWhoFailedTogetherDoNotReturnTogether looks at many first waits.
func TestWire_ThoseWhoFailedTogetherDoNotReturnTogether(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		least, most := time.Hour, time.Duration(0)
		for range 200 {
			m, _, asked := provider(t, openai.Open, reply{status: 500}, reply{status: 200, body: vendors()["openai"].whole})
			if _, err := m.Generate(t.Context(), model.Request{Model: "m"}, nil); err != nil {
				t.Fatal(err)
			}
			wait := (*asked)[1].Sub((*asked)[0])
			least, most = min(least, wait), max(most, wait)
		}
		if least < 1500*time.Millisecond || least > 1800*time.Millisecond || most > 2500*time.Millisecond || most < 2200*time.Millisecond {
			t.Errorf("the waits lie between %s and %s", least, most)
		}
	})
}

func TestWire_AStreamThatBreaksIsShownOnce(t *testing.T) {
	t.Parallel()
	refused := reply{status: 401, body: `{"error":{"type":"authentication_error","message":"x"}}`}
	for name, w := range vendors() {
		said := func(breaks bool, end string, texts ...string) reply {
			r := reply{status: 200, body: begin, breaks: breaks}
			for _, s := range texts {
				r.body += w.text(s)
			}
			r.body += end
			return r
		}
		for how, c := range map[string]struct {
			replies []reply
			text    string
			stop    model.StopReason
			resumed bool
			calls   int
		}{
			"not at all":              {[]reply{said(false, w.end, "One, ", "two.")}, "One, two.", model.StopEnd, false, 1},
			"before the first word":   {[]reply{said(true, ""), said(false, w.end, "One, ", "two.")}, "One, two.", model.StopEnd, false, 2},
			"closed in the middle":    {[]reply{said(false, "", "One, "), said(false, w.end, "two.")}, "One, two.", model.StopEnd, true, 2},
			"broken in the middle":    {[]reply{said(true, "", "One, "), said(false, w.end, "two.")}, "One, two.", model.StopEnd, true, 2},
			"inside a chunk":          {[]reply{said(true, w.text("never shown")[:40], "One, "), said(false, w.end, "two.")}, "One, two.", model.StopEnd, true, 2},
			"after a failure":         {[]reply{{status: 500}, said(true, "", "One, "), said(false, w.end, "two.")}, "One, two.", model.StopEnd, true, 3},
			"twice":                   {[]reply{said(true, "", "One, "), said(true, "", "two, ")}, "One, two, ", model.StopBroken, false, 2},
			"and then nothing comes":  {[]reply{said(true, "", "One, "), said(true, "")}, "One, ", model.StopBroken, false, 2},
			"and then it is refused":  {[]reply{said(true, "", "One, "), refused}, "One, ", model.StopBroken, false, 2},
			"with a failure reported": {[]reply{said(false, `data: {"type":"error","error":{"type":"overloaded_error","message":"x"}}`+"\n\n", "One, "), said(false, w.end, "two.")}, "One, two.", model.StopEnd, true, 2},
		} {
			t.Run(name+"/"+how, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					m, bodies, _ := provider(t, w.open, c.replies...)
					shown := ""
					a, err := m.Generate(t.Context(), model.Request{Model: "m", Messages: []model.Message{{Role: model.User, Parts: []model.Part{{Text: "Count"}}}}}, func(d model.Delta) { shown += d.Text })
					if err != nil || a.Text != c.text || shown != c.text || a.Stop != c.stop || a.Resumed != c.resumed || a.Attempts != c.calls || len(*bodies) != c.calls {
						t.Fatalf("%+v %v, shown %q after %d calls", a, err, shown, len(*bodies))
					}
					again := (*bodies)[len(*bodies)-1]
					if took := strings.Contains(again, "cut off") && strings.Contains(again, "One, "); took != (c.resumed || c.stop == model.StopBroken) {
						t.Errorf("the last call is %s", again)
					}
					if a.Provider != "acme" || a.Model != "m" {
						t.Errorf("it is of %s/%s", a.Provider, a.Model)
					}
				})
			})
		}
	}
}

// TestWire_AWholeAnswerThatBreaksIsAskedForAgain is the case without a person who watches.
func TestWire_AWholeAnswerThatBreaksIsAskedForAgain(t *testing.T) {
	t.Parallel()
	for name, w := range vendors() {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				for cut := range len(w.whole) {
					m, bodies, _ := provider(t, w.open, reply{status: 200, body: w.whole[:cut], breaks: true}, reply{status: 200, body: w.whole})
					a, err := m.Generate(t.Context(), model.Request{Model: "m"}, nil)
					if err != nil || a.Text != "Whole." || a.Resumed || a.Attempts != 2 || (*bodies)[0] != (*bodies)[1] {
						t.Fatalf("cut at %d: %+v %v", cut, a, err)
					}
				}
			})
		})
	}
}

// TestWire_ACallThatIsGivenUpInTheMiddle is neither resumed nor an answer.
func TestWire_ACallThatIsGivenUpInTheMiddle(t *testing.T) {
	t.Parallel()
	f := &fake{turns: []turn{{show: "Half", err: &model.Error{Reason: model.Canceled}}}}
	a, err := model.Retry(f).Generate(t.Context(), model.Request{}, func(model.Delta) {})
	var e *model.Error
	if !errors.As(err, &e) || e.Reason != model.Canceled || a.Text != "" || a.Attempts != 1 || len(f.asked) != 1 {
		t.Errorf("%+v %v after %d calls", a, err, len(f.asked))
	}
}
