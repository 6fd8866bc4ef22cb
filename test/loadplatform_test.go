package test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"chela/internal/testkit/channeltest"
	"chela/internal/testkit/dingtalktest"
	"chela/internal/testkit/discordtest"
	"chela/internal/testkit/slacktest"
	"chela/internal/testkit/telegramtest"
	"chela/internal/testkit/whatsapptest"
)

// A platform is a channel under load: how its people talk, and what goes wrong on it.
type platform struct {
	name, kind string
	config     map[string]any // of the channel
	person     func(number) string
	// say says something in a chat; false when there was no time left for it.
	say   func(ctx context.Context, n number, text, id string) bool
	texts func(n number, from int) []string // what came, but for the first
	pause time.Duration                     // of who talks in a group
	// mishaps happen one after the other, and then in any order; every third time it is one of
	// the breaks, which end the connection.
	mishaps, breaks []func()

	// A platform that cannot tell an attempt from a new message takes nothing while the daemon is
	// killed or it restarts itself: hold refuses all.
	hold       func()
	heal       func() // ends what goes wrong
	died, back func() // after the daemon was killed, and when it has begun anew
	ready      func() // the channels stand

	share        int          // of all messages, in proportion to those of the others
	of           int          // so many messages
	left, spoken atomic.Int64 // messages
	took         atomic.Int64 // until the last chat was answered, in nanoseconds
	happened     int
	next         int64 // how many are spoken when the next mishap happens
	calm         bool  // nothing happens any more
	broken       int
	brokenAt     time.Time
}

// loadPlatforms are all platforms that there is a server of for tests. WhatsApp's finds the daemon
// again before that of Discord, which waits for it: what it reports later counts for nothing.
func loadPlatforms() []func(*testing.T, *load) *platform {
	return []func(*testing.T, *load) *platform{telegramLoad, slackLoad, whatsappLoad, discordLoad, dingtalkLoad, webhookLoad}
}

// draw takes up to n of the messages that are left for a platform.
func (p *platform) draw(n int) int {
	for {
		left := p.left.Load()
		n = min(n, int(left))
		if n == 0 || p.left.CompareAndSwap(left, left-int64(n)) {
			return n
		}
	}
}

// disturb has the next mishap happen when its time has come.
func (p *platform) disturb() {
	spoken := p.spoken.Load()
	switch {
	case p.calm || spoken < p.next:
		return
	case spoken == int64(p.of): // what has not happened yet would all happen to the last chat
		p.heal()
		p.calm = true
		return
	}
	every := int64(min(p.of/(len(p.mishaps)+breaksAtOnce), mostBetween))
	p.next = max(p.next, spoken-every*int64(len(p.mishaps))) + every // what was spoken to a dead daemon brings each once
	p.happened++
	if p.happened%3 == 0 && len(p.breaks) > 0 && (p.broken < breaksAtOnce || time.Since(p.brokenAt) > breaksApart) {
		p.broken, p.brokenAt = p.broken+1, time.Now()
		turn(p.breaks, p.broken-1)()
		return
	}
	turn(p.mishaps, p.happened-p.broken-1)()
}

// A channel that breaks waits longer each time before it comes back, up to 5 minutes, and less
// again only when it stood for a minute.
const (
	breaksAtOnce = 2
	breaksApart  = 65 * time.Second
)

// turn is the i-th of a list, or one of them when they all had their turn.
func turn(list []func(), i int) func() {
	if i >= len(list) {
		i = rand.New(rand.NewPCG(loadSeed, uint64(i))).IntN(len(list)) //nolint:gosec // repeatable
	}
	return list[i]
}

// held does something while the platform takes nothing and nothing is under way to it.
func (p *platform) held(l *load, do func()) func() {
	return func() {
		p.brace(l)
		do()
		p.again()
	}
}

func (p *platform) brace(l *load) {
	if p.hold != nil {
		p.hold()
		l.settled(p)
	}
}

func (p *platform) dead() {
	if p.died != nil {
		p.died()
	}
}

func (p *platform) again() {
	if p.hold != nil {
		p.heal()
	}
	if p.back != nil {
		p.back()
	}
}

func telegramLoad(t *testing.T, l *load) *platform {
	f := telegramtest.New(t)
	fault := func(method string, what telegramtest.Mishap, times int) func() {
		return func() {
			f.Fault(telegramtest.Fault{Method: method, What: what, Times: times, For: time.Second})
		}
	}
	user := func(n number) telegramtest.User { return telegramtest.User{ID: 1000 + int64(n), FirstName: "Person"} }
	chat := func(n number) telegramtest.Chat {
		if n.group() {
			return telegramtest.Group(-1000-int64(n), "Team")
		}
		return telegramtest.Private(user(n))
	}
	p := &platform{
		name: "telegram", kind: "telegram", share: 2, pause: 3 * time.Second, // of a bot's in a group there are 20 a minute
		config: map[string]any{"base_url": f.URL(), "secrets": map[string]string{"token": f.Token}, "settings": map[string]string{"poll": "1s", "timeout": "5s"}},
		person: func(n number) string { return strconv.FormatInt(user(n).ID, 10) },
		say: func(_ context.Context, n number, text, _ string) bool {
			if n.group() {
				text = "@" + f.Bot.Username + " " + text
			}
			f.Say(chat(n), user(n), text)
			return true
		},
		texts: func(n number, from int) []string { return f.After(chat(n), from) },
		hold: func() {
			f.Fault(telegramtest.Fault{Method: "sendMessage", What: telegramtest.Fail, Status: http.StatusServiceUnavailable})
		},
		heal: f.Heal,
	}
	p.mishaps = []func(){
		fault("sendMessage", telegramtest.Silent, 1), f.Redeliver, fault("sendMessage", telegramtest.TooMany, 2),
		fault("sendMessage", telegramtest.Fail, 3), fault("sendMessage", telegramtest.CutBefore, 1), f.Redeliver,
	}
	p.breaks = []func(){
		fault("getUpdates", telegramtest.Silent, 1), p.held(l, f.Restart), fault("getUpdates", telegramtest.CutAfter, 1),
		fault("getUpdates", telegramtest.TooMany, 1), fault("getUpdates", telegramtest.Fail, 1),
	}
	return p
}

func slackLoad(t *testing.T, _ *load) *platform {
	f := slacktest.New(t)
	const post = "chat.postMessage"
	fault := func(method string, what slacktest.Mishap, times int) func() {
		return func() { f.Fault(slacktest.Fault{Method: method, What: what, Times: times, For: time.Second}) }
	}
	user := func(n number) slacktest.User { return slacktest.User{ID: fmt.Sprintf("U0PERS%03d", n), Name: "Person"} }
	chat := func(n number) slacktest.Chat {
		if n.group() {
			return slacktest.Channel(fmt.Sprintf("C0TEAM%03d", n))
		}
		return slacktest.Private(user(n))
	}
	var began [loadGroups]string // the thread that each group talks in
	p := &platform{
		name: "slack", kind: "slack", share: 1, // five parts a second go to all of Slack
		config: map[string]any{"base_url": f.URL(), "settings": map[string]string{"ping": "1s", "timeout": "2s"}, "secrets": map[string]string{"bot_token": f.BotToken, "app_token": f.AppToken}},
		person: func(n number) string { return user(n).ID },
		say: func(_ context.Context, n number, text, _ string) bool {
			switch {
			case !n.group():
				f.Say(chat(n), user(n), text)
			case began[n] == "":
				began[n] = f.Say(chat(n), user(n), "<@"+f.Bot.ID+"> "+text)
			default:
				f.Reply(chat(n), user(n), began[n], text)
			}
			return true
		},
		texts: func(n number, from int) []string { return f.After(chat(n), from) },
		heal:  f.Heal,
	}
	p.mishaps = []func(){
		fault(post, slacktest.TakeSilently, 1), fault("conversations.history", slacktest.Fail, 2), func() { f.Announce("refresh_requested") },
		f.Redeliver, fault("conversations.replies", slacktest.TooMany, 1), fault(post, slacktest.CutAfter, 2), fault(post, slacktest.TooMany, 1),
		fault(post, slacktest.Fail, 2), fault(post, slacktest.FailAfter, 2), fault(post, slacktest.CutBefore, 1), fault(post, slacktest.Silent, 1), f.Redeliver,
	}
	p.breaks = []func(){f.Deafen, f.Restart, func() { f.Cut(1) }}
	return p
}

func discordLoad(t *testing.T, _ *load) *platform {
	f := discordtest.New(t)
	f.Beat(time.Second)
	fault := func(method string, what discordtest.Mishap, times int) func() {
		return func() {
			f.Fault(discordtest.Fault{Method: method, What: what, Times: times, For: time.Second / 2})
		}
	}
	user := func(n number) discordtest.User {
		return discordtest.User{ID: strconv.Itoa(1000 + int(n)), Username: "person"}
	}
	chat := func(n number) discordtest.Channel {
		if n.group() {
			return discordtest.Group(strconv.Itoa(3000+int(n)), "team")
		}
		return discordtest.Private(user(n))
	}
	for n := range number(loadGroups) {
		f.Enter(chat(n))
	}
	answered := func() bool {
		for n := range number(loadChats) {
			if len(f.After(chat(n), 0)) == 0 {
				return false
			}
		}
		return true
	}
	var connections, deaths int
	p := &platform{
		name: "discord", kind: "discord", share: 2,
		config: map[string]any{"base_url": f.URL(), "secrets": map[string]string{"token": f.Token}, "settings": map[string]string{"timeout": "2s"}},
		person: func(n number) string { return user(n).ID },
		say: func(_ context.Context, n number, text, _ string) bool {
			if n.group() {
				text = "<@" + f.Bot.ID + "> " + text
			}
			f.Say(chat(n), user(n), text)
			return true
		},
		texts: func(n number, from int) []string { return f.After(chat(n), from) },
		heal:  f.Heal,
		died: func() {
			connections = discordConnections(f)
			if deaths++; deaths%2 == 0 && answered() { // else nothing is known of a chat by which it could be read back
				f.Forget()
			}
		},
		back: func() {
			until(t, "the connection", func() bool { return discordConnections(f) > connections && f.Connected() == 1 })
		},
	}
	p.mishaps = []func(){
		fault(discordtest.Make, discordtest.Silent, 1), f.Redeliver, fault(discordtest.Make, discordtest.CutAfter, 2), fault(discordtest.Make, discordtest.TooMany, 1),
		fault(discordtest.Make, discordtest.Everybody, 1), fault(discordtest.Make, discordtest.Fail, 2), fault(discordtest.Make, discordtest.CutBefore, 1), f.Redeliver,
	}
	p.breaks = []func(){
		func() {
			f.Deaf(true)
			f.Deaf(false) // those that stand stay deaf
		},
		f.Restart, f.Cut, f.Reconnect, func() { f.Close(4000) },
	}
	return p
}

func dingtalkLoad(t *testing.T, l *load) *platform {
	f := dingtalktest.New(t)
	fault := func(path string, what channeltest.Mishap, times int) func() {
		return func() { f.Fault(dingtalktest.Fault{Method: path, What: what, Times: times, For: time.Second}) }
	}
	user := func(n number) dingtalktest.Person {
		return dingtalktest.Person{ID: fmt.Sprint("$:person", n), Staff: fmt.Sprint("staff", n), Nick: "Person"}
	}
	chat := func(n number) dingtalktest.Chat {
		if n.group() {
			return dingtalktest.Group(fmt.Sprintf("cidTEAM%d==", n), "Team")
		}
		return dingtalktest.Private(user(n))
	}
	p := &platform{
		name: "dingtalk", kind: "dingtalk", share: 3,
		config: map[string]any{"base_url": f.URL(), "settings": map[string]string{"timeout": "5s", "keepalive": "1s"}, "secrets": map[string]string{"client_id": f.ClientID, "client_secret": f.ClientSecret}},
		person: func(n number) string { return user(n).Staff },
		say: func(_ context.Context, n number, text, _ string) bool {
			f.Say(chat(n), user(n), text)
			return true
		},
		texts: func(n number, from int) []string { return f.After(chat(n), from) },
		hold: func() {
			for _, path := range []string{dingtalktest.SendPerson, dingtalktest.SendGroup} {
				f.Fault(dingtalktest.Fault{Method: path, What: dingtalktest.Fail, Status: http.StatusServiceUnavailable})
			}
		},
		heal: f.Heal,
	}
	noToken := func() { // the next that is asked for: else refusals would wait for a new connection, and all hold that up
		f.ExpireTokens()
		fault(dingtalktest.Token, dingtalktest.Fail, 1)()
	}
	p.mishaps = []func(){
		fault(dingtalktest.SendPerson, dingtalktest.Silent, 1), f.Redeliver, fault(dingtalktest.SendPerson, dingtalktest.TooMany, 1), fault(dingtalktest.SendGroup, dingtalktest.Fail, 2),
		fault(dingtalktest.SendPerson, dingtalktest.Fail, 2), f.ExpireTokens, fault(dingtalktest.SendPerson, dingtalktest.CutBefore, 1),
		func() { f.Disconnect("time is over") }, noToken, f.Redeliver,
	}
	p.breaks = []func(){
		func() {
			f.Freeze()
			time.AfterFunc(2*time.Second, f.Thaw)
		},
		p.held(l, f.Restart), f.Drop,
	}
	return p
}

func whatsappLoad(t *testing.T, l *load) *platform {
	f := whatsapptest.New(t)
	fault := func(what channeltest.Mishap, times, status int) func() {
		return func() {
			f.Fault(whatsapptest.Fault{Method: whatsapptest.Messages, What: what, Times: times, Status: status})
		}
	}
	user := func(n number) whatsapptest.User {
		return whatsapptest.User{ID: strconv.Itoa(16505550000 + int(n)), Name: "Person"}
	}
	chat := func(n number) whatsapptest.Chat {
		if n.group() {
			return whatsapptest.Group(fmt.Sprint("team", n))
		}
		return whatsapptest.Private(user(n))
	}
	for n := range number(loadGroups) {
		f.Enter(chat(n))
	}
	p := &platform{
		name: "whatsapp", kind: "whatsapp", share: 2,
		config: map[string]any{
			"base_url": f.URL(), "groups": "always", "settings": map[string]string{"phone_number_id": f.Number, "timeout": "2s", "settle": "10s"},
			"secrets": map[string]string{"token": f.Token, "app_secret": f.AppSecret, "verify_token": f.Verify},
		},
		person: func(n number) string { return user(n).ID },
		say: func(_ context.Context, n number, text, _ string) bool {
			f.Say(chat(n), user(n), text)
			return true
		},
		texts: func(n number, from int) []string { return f.Texts(chat(n))[from:] },
		heal:  f.Heal,
		died:  f.Unhook,
	}
	p.ready = func() {
		until(t, "the address to be ours", func() bool { return f.Hook(l.daemon.Load().address+"/channels/whatsapp") == nil })
	}
	p.back = p.ready
	again := 0
	redeliver := func() { // all that ever came, and that counts as come once more: it doubles
		if again++; again <= 2 {
			f.Redeliver()
		}
	}
	p.mishaps = []func(){
		fault(whatsapptest.CutAfter, 2, 0), redeliver, fault(whatsapptest.Fail, 1, http.StatusTooManyRequests), redeliver, fault(whatsapptest.Silent, 1, 0),
		fault(whatsapptest.Fail, 2, http.StatusBadGateway), fault(whatsapptest.CutBefore, 1, 0), fault(whatsapptest.TakeSilently, 1, 0), f.Restart,
	}
	return p
}

func webhookLoad(t *testing.T, l *load) *platform {
	f := newPortal(t)
	var faults []int // that come next; under f.mu
	f.answer = func(try, _ int) int {
		if len(faults) == 0 || try > 3 {
			return http.StatusOK
		}
		code := faults[0]
		faults = faults[1:]
		return code
	}
	fault := func(codes ...int) func() {
		return func() {
			f.mu.Lock()
			defer f.mu.Unlock()
			faults = append(faults, codes...)
		}
	}
	chat := func(n number) string { return fmt.Sprint("chat", n) }
	person := func(n number) string { return fmt.Sprint("person", n) }
	p := &platform{
		name: "portal", kind: "webhook", share: 4,
		config: map[string]any{"secrets": map[string]string{"secret": f.secret()}, "settings": map[string]string{"url": f.URL}},
		person: person,
		say: func(ctx context.Context, n number, text, id string) bool {
			m := from(chat(n), person(n), id, text)
			m["group"], m["called"] = n.group(), n.group()
			return f.insist(ctx, l, m)
		},
		texts: func(n number, from int) []string {
			f.mu.Lock()
			defer f.mu.Unlock()
			return append([]string(nil), f.order[chat(n)][from:]...)
		},
		heal: func() {
			f.mu.Lock()
			defer f.mu.Unlock()
			faults = nil
		},
	}
	p.mishaps = []func(){
		fault(silent), fault(http.StatusInternalServerError, http.StatusBadGateway), fault(cut, cut), fault(http.StatusTooManyRequests),
		func() { f.restart(t) }, fault(http.StatusServiceUnavailable), fault(cut, http.StatusInternalServerError, cut),
	}
	return p
}

// insist posts a message until it is taken, and some twice.
func (p *portal) insist(ctx context.Context, l *load, m map[string]any) bool {
	body, err := json.Marshal(m)
	if err != nil {
		return false
	}
	id := fmt.Sprint(m["id"])
	times := 1
	if strings.HasSuffix(id, "7") {
		times = 2
	}
	for times > 0 {
		stamp := strconv.FormatInt(time.Now().Unix(), 10)
		if status, err := p.try(ctx, l.daemon.Load(), id, stamp, p.sign(id, stamp, body), body); err == nil && status == http.StatusNoContent {
			times--
		} else if !after(ctx, loadLook) {
			return false
		}
	}
	return true
}
