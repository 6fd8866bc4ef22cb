package test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"chela/internal/testkit/pgtest"
)

// A load is many chats on all platforms, in which people say numbered things, and what the model
// and the people heard of them.
type load struct {
	setup
	t         *testing.T
	all       int // messages
	kills     int
	daemon    atomic.Pointer[daemon]
	platforms []*platform
	rss       []float64 // MiB, since the last kill, evenly over what was said

	mu    sync.Mutex // guards the rest
	heard map[string]int
	wrong []string
}

// A chatter is one chat in which somebody says one thing after the other.
type chatter struct {
	*platform
	label string // in its texts: telegram3
	number
	said int      // how many
	got  []string // what came
}

// number is which of a platform's chats it is.
type number int

// loadGroups is how many of a platform's chats are groups: the first ones.
const (
	loadChats  = 20
	loadGroups = 4
)

func (n number) group() bool { return n < loadGroups }

// Bounds of what one chat says before it was answered; 20 may wait.
const (
	mostAtOnce    = 6
	mostUnheard   = 15
	loadSeed      = 11
	loadLook      = 20 * time.Millisecond
	loadPatience  = 4 * time.Minute
	soakPatience  = 55 * time.Minute
	loadOfTest    = 2000
	killsInSoak   = 12
	mostBetween   = 200 // messages from one mishap of a platform to the next, at most
	flatMemory    = 1.25
	mostOfLogPage = 500
)

// TestLoad_NothingIsLostUnderLoad: 2,000 messages over all platforms, while each of them fails in all
// its ways and the daemon is killed; none is lost, none doubled, and each chat keeps its order.
func TestLoad_NothingIsLostUnderLoad(t *testing.T) {
	t.Parallel()
	l := newLoad(t, setup{data: t.TempDir()}, loadOfTest, 1)
	l.run(loadPatience)
}

// TestLoad_SoakUnderLoad is the same with CHELA_SOAK_MESSAGES messages on SQLite, a tenth of them on
// PostgreSQL, and kills again and again in the first third. After that the memory stays flat.
func TestLoad_SoakUnderLoad(t *testing.T) {
	t.Parallel()
	messages, err := strconv.Atoi(os.Getenv("CHELA_SOAK_MESSAGES"))
	if err != nil {
		t.Skip("make soak runs it")
	}
	t.Run("sqlite", func(t *testing.T) {
		l := newLoad(t, setup{data: t.TempDir()}, messages, killsInSoak)
		l.run(soakPatience)
		l.flat()
	})
	t.Run("postgres", func(t *testing.T) {
		newLoad(t, setup{data: t.TempDir(), postgres: pgtest.URL(t)}, messages/10, 2).run(soakPatience)
	})
}

func newLoad(t *testing.T, s setup, messages, kills int) *load {
	t.Helper()
	l := &load{setup: s, t: t, kills: kills, heard: make(map[string]int)}
	w := newWorld(t, l.model)
	l.env = w.env()
	for _, open := range loadPlatforms() {
		l.platforms = append(l.platforms, open(t, l))
	}
	shares := 0
	for _, p := range l.platforms {
		shares += p.share
	}
	for i, p := range l.platforms {
		if p.of = messages * p.share / shares; i == len(l.platforms)-1 {
			p.of = messages - l.all // the rest
		}
		l.all += p.of
	}
	return l
}

var numbered = regexp.MustCompile(`([a-z]+[0-9]+)n([0-9]+)`)

// model says up to where it has heard. Whatever it is shown must go on from what it heard before,
// one after the other.
func (l *load) model(r request) any {
	first, last, label := -1, -1, ""
	for _, m := range r.Messages {
		if m.Role != "user" {
			continue
		}
		for _, hit := range numbered.FindAllStringSubmatch(string(m.Content), -1) {
			n, _ := strconv.Atoi(hit[2]) // figures
			if first < 0 {
				first, last, label = n, n-1, hit[1]
			}
			if n != last+1 || hit[1] != label {
				l.complain("%s: after %d the model is shown %s", label, last, hit[0])
			}
			last = n
		}
	}
	l.mu.Lock()
	before := l.heard[label]
	l.heard[label] = max(before, last+1)
	l.mu.Unlock()
	if first < 0 || first > before {
		l.complain("%s: the model heard %d of them and is shown those from %d", label, before, first)
	}
	return text(fmt.Sprintf("Heard %sn%d.", label, last))
}

func (l *load) complain(format string, args ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.wrong = append(l.wrong, fmt.Sprintf(format, args...)); len(l.wrong) < 60 {
		l.t.Error(l.wrong[len(l.wrong)-1])
	}
}

// run has everybody talk until all is answered, and looks what came of it.
func (l *load) run(patience time.Duration) {
	l.t.Helper()
	began := time.Now()
	l.begin()
	ctx, end := context.WithTimeout(l.t.Context(), patience)
	defer end()
	var talks []*chatter
	var everybody sync.WaitGroup
	for _, p := range l.platforms {
		p.left.Store(int64(p.of))
		for i := range loadChats {
			k := &chatter{platform: p, label: fmt.Sprint(p.name, i), number: number(i)}
			talks = append(talks, k)
			r := rand.New(rand.NewPCG(loadSeed, uint64(len(talks)))) //nolint:gosec // repeatable
			everybody.Go(func() {
				k.drive(ctx, r)
				p.took.Store(int64(time.Since(began)))
			})
		}
	}
	done := make(chan struct{})
	go func() {
		everybody.Wait()
		close(done)
	}()
	l.disturb(done)
	d := l.daemon.Load()
	l.t.Logf("%d messages in %s with %d kills and %d mishaps", l.said(), time.Since(began).Round(time.Second), l.kills, l.mishaps())
	for _, p := range l.platforms {
		l.t.Logf("%s: %d messages in %s, %d mishaps", p.name, p.spoken.Load(), time.Duration(p.took.Load()).Round(time.Second), p.happened)
	}
	l.delivered()
	l.judge(talks, l.log())
	d.stop()
	l.verified(l.t)
}

// begin starts the daemon, with the channels and the people.
func (l *load) begin() {
	l.t.Helper()
	d := l.running(l.t)
	l.daemon.Store(d)
	d.must(l.t, http.MethodPatch, "/api/agents/pm", rawJSON(`{"card":{"limits":{"max_concurrency":200}}}`), nil)
	for _, p := range l.platforms {
		p.config["kind"], p.config["agent"] = p.kind, "agent:pm"
		d.must(l.t, http.MethodPut, "/api/channels/"+p.name, p.config, nil)
	}
	for i := range loadChats {
		_, id := d.member(l.t, fmt.Sprint("Person ", i), "viewer")
		for _, p := range l.platforms {
			d.must(l.t, http.MethodPost, "/api/persons/"+id+"/identities", map[string]string{"identity": p.name + ":" + p.person(number(i))}, nil)
		}
	}
	until(l.t, "all channels", func() bool {
		var list []struct{ State string }
		d.must(l.t, http.MethodGet, "/api/channels", nil, &list)
		return len(list) == len(l.platforms) && !slices.ContainsFunc(list, func(c struct{ State string }) bool { return c.State != "up" })
	})
	for _, p := range l.platforms {
		if p.ready != nil {
			p.ready()
		}
	}
}

// drive says things in bursts, some before the last was answered, as long as there is something
// to say on its platform, and waits for the answers.
func (k *chatter) drive(ctx context.Context, r *rand.Rand) {
	for {
		n := k.draw(1 + r.IntN(mostAtOnce))
		if n == 0 {
			break
		}
		open := r.IntN(mostUnheard - mostAtOnce)
		if !k.answered(ctx, k.said-open) {
			return
		}
		for range n {
			if !k.say(ctx, k.number, fmt.Sprintf("%sn%d", k.label, k.said), fmt.Sprint(k.said)) {
				return
			}
			k.said++
			k.spoken.Add(1)
		}
		if k.group() {
			after(ctx, k.pause)
		}
	}
	k.answered(ctx, k.said)
}

// answered waits until the first n of what was said in a chat is answered. The last text is looked at again: on a slow machine an
// answer is shown while it is written, and becomes another when more was said meanwhile.
func (k *chatter) answered(ctx context.Context, n int) bool {
	for {
		whole := max(len(k.got)-1, 0)
		k.got = append(k.got[:whole], k.texts(k.number, whole)...)
		if upTo(k.got) >= n {
			return true
		}
		if !after(ctx, loadLook) {
			return false
		}
	}
}

// after waits, and reports whether there is still time.
func after(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}

// upTo is how many messages the answers say were heard.
func upTo(answers []string) (most int) {
	for _, a := range answers {
		if hit := numbered.FindStringSubmatch(a); hit != nil {
			n, _ := strconv.Atoi(hit[2]) // figures
			most = max(most, n+1)
		}
	}
	return most
}

func (l *load) said() (n int) {
	for _, p := range l.platforms {
		n += int(p.spoken.Load())
	}
	return n
}

func (l *load) mishaps() (n int) {
	for _, p := range l.platforms {
		n += p.happened
	}
	return n
}

// disturb has things go wrong, by how much was said, until all is done. In a soak the daemon is
// killed in the first third only, so that its memory can be followed.
func (l *load) disturb(done <-chan struct{}) {
	l.t.Helper()
	killed, measured := 0, 0
	killEvery := l.all / 2
	if l.kills > 1 {
		killEvery = l.all / 3 / l.kills
	}
	for {
		select {
		case <-done:
			return
		case <-time.After(loadLook):
		}
		said := l.said()
		for _, p := range l.platforms {
			p.disturb()
		}
		if killed < l.kills && said >= (killed+1)*killEvery {
			l.kill()
			killed++
			measured, l.rss = said, nil
		}
		if killed == l.kills && (said-measured)*100 >= l.all {
			measured = said
			l.rss = append(l.rss, resident(l.t, l.daemon.Load().cmd.Process.Pid))
		}
	}
}

// kill ends the daemon with what it has in hand, and starts it again.
func (l *load) kill() {
	l.t.Helper()
	for _, p := range l.platforms {
		p.brace(l)
	}
	l.daemon.Load().kill()
	for _, p := range l.platforms {
		p.dead()
	}
	l.daemon.Store(l.running(l.t))
	for _, p := range l.platforms {
		p.again()
	}
}

// settled waits until no part is under way that was begun before.
func (l *load) settled(p *platform) {
	l.t.Helper()
	since := time.Now()
	until(l.t, "all that is under way on "+p.name, func() bool {
		var all []struct {
			At time.Time `json:"updated_at"`
		}
		l.daemon.Load().must(l.t, http.MethodGet, "/api/deliveries?limit=1000&state=sending&channel="+p.name, nil, &all)
		return !slices.ContainsFunc(all, func(d struct {
			At time.Time `json:"updated_at"`
		},
		) bool {
			return d.At.Before(since)
		})
	})
}

// A chatLog is what the log has of a chat: the numbers that were said, and the answers, each with
// how many had been said before it.
type chatLog struct {
	threads []string
	said    []int
	answers []string
	before  []int
}

// log reads what was said, by label.
func (l *load) log() map[string]*chatLog {
	l.t.Helper()
	out := make(map[string]*chatLog)
	for pos := int64(0); ; {
		var page struct {
			Events []struct {
				Seq     int64  `json:"seq"`
				Thread  string `json:"thread_id"`
				From    string `json:"from"`
				Payload struct {
					Message string `json:"message"`
				} `json:"payload"`
			} `json:"events"`
		}
		l.daemon.Load().must(l.t, http.MethodGet, fmt.Sprintf("/api/log?type=chat.message&limit=%d&after=%d", mostOfLogPage, pos), nil, &page)
		for _, e := range page.Events {
			pos = e.Seq
			hit := numbered.FindStringSubmatch(e.Payload.Message)
			if hit == nil {
				l.complain("the log has %q", e.Payload.Message)
				continue
			}
			c := out[hit[1]]
			if c == nil {
				c = new(chatLog)
				out[hit[1]] = c
			}
			if !slices.Contains(c.threads, e.Thread) {
				c.threads = append(c.threads, e.Thread)
			}
			if e.From == "agent:pm" {
				c.answers, c.before = append(c.answers, e.Payload.Message), append(c.before, len(c.said))
				continue
			}
			n, _ := strconv.Atoi(hit[2]) // figures
			c.said = append(c.said, n)
		}
		if len(page.Events) < mostOfLogPage {
			return out
		}
	}
}

// judge compares what was said, what the log has, what the model heard and what came back.
func (l *load) judge(talks []*chatter, log map[string]*chatLog) {
	l.t.Helper()
	sum := 0
	for _, k := range talks {
		c := log[k.label]
		if c == nil {
			c = new(chatLog)
		}
		sum += k.said
		for i, n := range c.said {
			if n != i {
				l.complain("%s: the log has message %d in place %d", k.label, n, i)
				break
			}
		}
		if len(c.said) != k.said || l.heard[k.label] != k.said || upTo(k.got) != k.said || len(c.threads) > 1 {
			l.complain("%s: %d were said, %d are in the log, in %d conversations, the model heard %d, answered are %d", k.label, k.said, len(c.said), len(c.threads), l.heard[k.label], upTo(k.got))
		}
		for i, a := range c.answers {
			if upTo(c.answers[i:i+1]) <= upTo(c.answers[:i]) || upTo(c.answers[i:i+1]) > c.before[i] {
				l.complain("%s: after %q comes %q, when %d had been said", k.label, c.answers[:i], a, c.before[i])
				break
			}
		}
		k.got = k.texts(k.number, 0) // as the chat shows it in the end, whatever it showed before
		if !slices.Equal(k.got, c.answers) {
			l.complain("%s: came %q, the log has %q", k.label, k.got, c.answers)
		}
	}
	if sum != l.all {
		l.complain("%d were said, not %d", sum, l.all)
	}
}

// delivered waits until nothing is on its way: what came and is not known to have come is tried
// again, and must not come twice.
func (l *load) delivered() {
	l.t.Helper()
	since := time.Now()
	for _, state := range []string{"queued", "sending", "failed"} {
		var open []json.RawMessage
		for {
			l.daemon.Load().must(l.t, http.MethodGet, "/api/deliveries?state="+state, nil, &open)
			if len(open) == 0 || state == "failed" || time.Since(since) > time.Minute || !after(l.t.Context(), loadLook) {
				break
			}
		}
		if len(open) > 0 {
			l.complain("%d deliveries are %s: %s", len(open), state, open)
		}
	}
}

// flat compares the memory of the daemon after a tenth of what it did since it was killed last
// with that at the end. The least of several readings counts: the heap of a Go program goes up
// and down by half between two collections.
func (l *load) flat() {
	l.t.Helper()
	tenth := len(l.rss) / 10
	if tenth < 2 || l.rss[0] == 0 { // not Linux, or not much was said
		l.t.Logf("memory: %.1f MiB", l.rss)
		return
	}
	early, late := slices.Min(l.rss[tenth:3*tenth]), slices.Min(l.rss[len(l.rss)-2*tenth:])
	l.t.Logf("memory: %.1f MiB after a tenth, %.1f MiB at the end, %.1f MiB at most", early, late, slices.Max(l.rss))
	if late > early*flatMemory {
		l.t.Errorf("the memory grew from %.1f to %.1f MiB: %.1f", early, late, l.rss)
	}
}

// resident is the memory of a process in MiB, 0 where the kernel does not say.
func resident(t *testing.T, pid int) (kib float64) {
	t.Helper()
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(raw), "VmRSS:")
	if _, err := fmt.Sscanf(rest, "%f", &kib); err != nil {
		t.Fatal(err)
	}
	return kib / 1024
}
