package discordtest

import (
	"encoding/json"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/gorilla/websocket"
)

// The intents of what is sent (discord.com/developers/docs/events/gateway#list-of-intents).
const (
	guilds          = 1 << 0
	guildMessages   = 1 << 9
	guildReactions  = 1 << 10
	directMessages  = 1 << 12
	directReactions = 1 << 13
	content         = 1 << 15
	known           = 1<<26 - 1
	always          = 0 // needs none
)

// maxPayload is how long a frame of a bot may be, in bytes.
const maxPayload = 4096

// A session is what a bot goes on with after its connection broke.
type session struct {
	id      string
	intents int
	seq     int64
	frames  [][]byte // all that were sent, by number
	taken   int64    // that the bot's beats named last
	on      *socket  // nil while it has none
}

// A socket is one connection of the gateway.
type socket struct {
	conn    *websocket.Conn
	writing sync.Mutex
	session *session // guarded by the server's
	deaf    bool
}

func (c *socket) write(raw []byte) {
	c.writing.Lock()
	defer c.writing.Unlock()
	_ = c.conn.SetWriteDeadline(time.Now().Add(5 * time.Second))
	_ = c.conn.WriteMessage(websocket.TextMessage, raw) // who has gone does not read it
}

func (c *socket) send(op int, data any) { c.write(pack(frame{Op: op}, data)) }

func pack(f frame, data any) []byte {
	var err error
	if f.Data, err = json.Marshal(data); err != nil {
		panic(err)
	}
	raw, err := json.Marshal(f)
	if err != nil {
		panic(err)
	}
	return raw
}

// end closes a connection with a code.
func (c *socket) end(code int, why string) {
	_ = c.conn.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(code, why), time.Now().Add(time.Second))
	_ = c.conn.Close()
}

// socket is one connection of the gateway, from Hello to its end.
func (s *Server) socket(w http.ResponseWriter, r *http.Request) {
	if q := r.URL.Query(); q.Get("v") != "10" || q.Get("encoding") != "json" {
		http.Error(w, "a version and an encoding are needed", http.StatusBadRequest)
		return
	}
	up := websocket.Upgrader{}
	conn, err := up.Upgrade(w, r, nil)
	if err != nil {
		return
	}
	c := &socket{conn: conn}
	s.mu.Lock()
	if s.Down() {
		s.mu.Unlock()
		_ = conn.Close()
		return
	}
	s.open.Add(1)
	if c.deaf = s.deaf; !c.deaf { // nothing comes before it
		c.send(10, map[string]int64{"heartbeat_interval": s.every.Milliseconds()})
	}
	s.sockets[c] = true
	s.Happened()
	s.mu.Unlock()
	defer s.open.Done()
	defer s.gone(c)
	for {
		_, raw, err := conn.ReadMessage()
		if err != nil {
			return
		}
		if code, why := s.heard(c, raw); code != 0 {
			c.end(code, why)
			return
		}
	}
}

func (s *Server) gone(c *socket) {
	_ = c.conn.Close()
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.sockets, c)
	if c.session != nil && c.session.on == c {
		c.session.on = nil
	}
	s.Happened()
}

// heard does what a frame of the bot asks for, or says with which code it ends.
func (s *Server) heard(c *socket, raw []byte) (code int, why string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	defer s.Happened()
	if c.deaf {
		return 0, ""
	}
	var f frame
	if len(raw) > maxPayload || json.Unmarshal(raw, &f) != nil {
		return 4002, "Error while decoding payload."
	}
	switch f.Op {
	case 1:
		var seq *int64
		if json.Unmarshal(f.Data, &seq) != nil {
			return 4002, "Error while decoding payload."
		}
		if seq != nil && c.session != nil {
			c.session.taken = max(c.session.taken, *seq)
		}
		c.send(11, nil)
	case 2:
		return s.identify(c, f.Data)
	case 6:
		return s.resume(c, f.Data)
	default:
		if c.session == nil {
			return 4003, "Not authenticated."
		}
		return 4001, "Unknown opcode."
	}
	return 0, ""
}

func (s *Server) identify(c *socket, raw []byte) (int, string) {
	var p struct {
		Token      string            `json:"token"`
		Intents    *int              `json:"intents"`
		Properties map[string]string `json:"properties"`
	}
	err := json.Unmarshal(raw, &p)
	switch {
	case c.session != nil:
		return 4005, "Already authenticated."
	case err != nil || p.Properties["os"] == "" || p.Properties["browser"] == "" || p.Properties["device"] == "":
		return 4002, "Error while decoding payload."
	case p.Token != s.Token:
		return 4004, "Authentication failed."
	case p.Intents == nil || *p.Intents&^known != 0:
		return 4013, "Invalid intent(s)."
	case s.noContent && *p.Intents&content != 0:
		return 4014, "Disallowed intent(s)."
	case s.starts <= 0:
		return 4004, "Authentication failed." // the token is another now
	}
	s.starts--
	s.identified++
	n := &session{id: sessionID(s.identified), intents: *p.Intents, on: c}
	s.sessions[n.id] = n
	c.session = n
	s.emit(n, "READY", map[string]any{
		"v": 10, "user": s.Bot, "session_id": n.id, "resume_gateway_url": s.gatewayURL() + "/",
		"guilds": []map[string]any{{"id": Guild, "unavailable": true}},
	})
	if n.intents&guilds != 0 {
		s.emit(n, "GUILD_CREATE", s.guild())
	}
	return 0, ""
}

// guild is what there is of the server of all channels.
func (s *Server) guild() map[string]any {
	channels, threads := []Channel{}, []Channel{}
	for _, c := range s.chats {
		switch {
		case c.GuildID == "" || c.hidden:
		case c.Parent != "":
			threads = append(threads, c.Channel)
		default:
			channels = append(channels, c.Channel)
		}
	}
	return map[string]any{
		"id": Guild, "name": "Team", "joined_at": "2020-01-01T00:00:00.000000+00:00", "channels": channels, "threads": threads,
		"roles": []map[string]any{{"id": Guild, "name": "@everyone"}, {"id": OurRole, "name": "chela", "tags": map[string]string{"bot_id": s.Bot.ID}}},
	}
}

func (s *Server) resume(c *socket, raw []byte) (int, string) {
	var p struct {
		Token   string `json:"token"`
		Session string `json:"session_id"`
		Seq     int64  `json:"seq"`
	}
	err := json.Unmarshal(raw, &p)
	n := s.sessions[p.Session]
	switch {
	case c.session != nil:
		return 4005, "Already authenticated."
	case err != nil:
		return 4002, "Error while decoding payload."
	case p.Token != s.Token:
		return 4004, "Authentication failed."
	case n == nil:
		c.send(9, false)
		return 0, ""
	case p.Seq < 0 || p.Seq > n.seq:
		return 4007, "Invalid seq."
	}
	if n.on != nil {
		_ = n.on.conn.Close() // a session has one connection
	}
	s.resumed++
	n.on, c.session = c, n
	for _, raw := range n.frames[p.Seq:] {
		c.write(raw)
	}
	s.emit(n, "RESUMED", map[string]any{})
	return 0, ""
}

// emit sends an event of a session, now or when it goes on. The caller holds mu.
func (s *Server) emit(n *session, name string, data any) {
	n.seq++
	seq := n.seq
	raw := pack(frame{Seq: &seq, Name: &name}, data)
	n.frames = append(n.frames, raw)
	if n.on != nil && !n.on.deaf {
		n.on.write(raw)
	}
}

// tell sends an event to who asked for its kind. The caller holds mu.
func (s *Server) tell(intent int, name string, data func(intents int) any) {
	for _, n := range s.sessions {
		if n.intents&intent == intent {
			s.emit(n, name, data(n.intents))
		}
	}
	s.Happened()
}

// each does something to every connection there is.
func (s *Server) each(do func(*socket)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for c := range s.sockets {
		do(c)
	}
}

// askAll asks each bot what it has taken: with a beat that it answers at once.
func (s *Server) askAll() {
	s.each(func(c *socket) {
		if !c.deaf {
			c.send(1, nil)
		}
	})
}

// Cut breaks all connections of the gateway, without a word.
func (s *Server) Cut() { s.each(func(c *socket) { _ = c.conn.Close() }) }

// Close ends all connections of the gateway with a code. Bots have just been asked for beats then,
// so that some of what they write comes too late. So little fits into one flight of TCP: none of it is lost.
func (s *Server) Close(code int) {
	s.each(func(c *socket) {
		for range 3 {
			c.send(1, nil)
		}
		c.end(code, "")
	})
}

// Reconnect asks all bots to connect anew.
func (s *Server) Reconnect() { s.each(func(c *socket) { c.send(7, nil) }) }

// Forget has the server not know any session any more, as after some minutes without a
// connection. Whoever has one is told.
func (s *Server) Forget() {
	s.mu.Lock()
	s.sessions = make(map[string]*session)
	s.mu.Unlock()
	s.each(func(c *socket) { c.send(9, false) })
}

// Deaf has connections stand on which nothing is heard and said, or ends that: those that were
// deaf stay so.
func (s *Server) Deaf(deaf bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.deaf = deaf
	for c := range s.sockets {
		c.deaf = c.deaf || deaf
	}
}

// Beat sets how often bots are to beat that connect from now on.
func (s *Server) Beat(every time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.every = every
}

// DenyContent switches Message Content Intent off.
func (s *Server) DenyContent(deny bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.noContent = deny
}

// keepDone is how many messages of a session [Server.Redeliver] gives again.
const keepDone = 100

// Redeliver sends the newest messages of the sessions again, up to a hundred, as new events.
func (s *Server) Redeliver() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, n := range s.sessions {
		var again []frame
		for _, raw := range n.frames[max(0, len(n.frames)-3*keepDone):] { // what we said is among them
			var f frame
			if json.Unmarshal(raw, &f) == nil && *f.Name == "MESSAGE_CREATE" {
				again = append(again, f)
			}
		}
		for _, f := range again[max(0, len(again)-keepDone):] {
			s.emit(n, *f.Name, f.Data)
		}
	}
	s.Happened()
}

// Emit sends an event as it is given to every session.
func (s *Server) Emit(name string, data any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tell(always, name, func(int) any { return data })
}

// Pending is how many events were sent in the newest session and, by the bot's beats, not taken.
func (s *Server) Pending() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if n := s.sessions[sessionID(s.identified)]; n != nil {
		return int(n.seq - n.taken)
	}
	return 0
}

func sessionID(number int) string { return "session" + strconv.Itoa(number) }

// Sessions says how many the bot began and how often it went on with one.
func (s *Server) Sessions() (identified, resumed int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.identified, s.resumed
}

// Connected says how many connections of the gateway stand.
func (s *Server) Connected() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.sockets)
}
