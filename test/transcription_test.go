package test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"chela/internal/testkit/pgtest"
	"chela/internal/testkit/telegramtest"
)

// transcriptions are the fake model's: what reply makes of an audio file, or the status with which it is
// refused.
type transcriptions struct {
	mu    sync.Mutex // guards the rest
	asked []string   // each as model, name and content
	reply func(audio string, gone <-chan struct{}) any
}

// newTranscriptions lets the fake model transcribe. No daemon may ask it yet.
func newTranscriptions(w *world, reply func(audio string, gone <-chan struct{}) any) *transcriptions {
	e, chat := &transcriptions{reply: reply}, w.Config.Handler
	w.Config.Handler = http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/v1/audio/transcriptions" {
			chat.ServeHTTP(rw, r)
			return
		}
		f, head, err := r.FormFile("file")
		if err != nil {
			http.Error(rw, err.Error(), http.StatusBadRequest)
			return
		}
		raw, err := io.ReadAll(f)
		if err != nil {
			http.Error(rw, err.Error(), http.StatusBadRequest)
			return
		}
		e.mu.Lock()
		e.asked = append(e.asked, r.FormValue("model")+" "+head.Filename+" "+string(raw))
		e.mu.Unlock()
		switch answer := e.reply(string(raw), r.Context().Done()).(type) {
		case int:
			http.Error(rw, `{"error":{"message":"The file is no audio file."}}`, answer)
		default:
			_, _ = fmt.Fprintf(rw, `{"text":%q,"usage":{"type":"duration","seconds":3}}`, answer)
		}
	})
	return e
}

// count is how often an audio file was asked about.
func (e *transcriptions) count(audio string) (n int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, h := range e.asked {
		if strings.HasSuffix(h, " "+audio) {
			n++
		}
	}
	return n
}

// configured writes the daemon's file.
func (s setup) configured(t *testing.T, yaml string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(s.data, "chela.yaml"), []byte(yaml), 0o600); err != nil {
		t.Fatal(err)
	}
}

// doctor returns what the doctor says of a thing.
func (s setup) doctor(t *testing.T, name string) string {
	t.Helper()
	cmd := exec.Command(binary, "doctor", "--data", s.data) //nolint:gosec // ours
	cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + s.data}, s.env...)
	out, _ := cmd.Output() // other lines may be bad
	for line := range strings.Lines(string(out)) {
		if strings.Contains(line, name) {
			return line
		}
	}
	return ""
}

// A phone is that of a member who talks to a bot.
type phone struct {
	*telegramtest.Server
	ann  telegramtest.User
	chat telegramtest.Chat
}

func newPhone(t *testing.T, d *daemon) phone {
	t.Helper()
	ann := telegramtest.User{ID: 77, FirstName: "Ann"}
	p := phone{telegramtest.New(t), ann, telegramtest.Private(ann)}
	d.must(t, http.MethodPut, "/api/channels/team", map[string]any{
		"kind": "telegram", "agent": "agent:pm", "base_url": p.URL(), "secrets": map[string]string{"token": p.Token}, "settings": map[string]string{"poll": "1s", "timeout": "5s"},
	}, nil)
	_, id := d.member(t, "Ann", "viewer")
	d.must(t, http.MethodPost, "/api/persons/"+id+"/identities", map[string]string{"identity": "team:77"}, nil)
	return p
}

// speak sends a voice note, or with a caption a file with an audio file.
func (p phone) speak(content, caption string) {
	p.Keep(content, []byte(content))
	f := &telegramtest.File{FileID: content, FileUniqueID: content, MimeType: "audio/ogg", FileSize: int64(len(content)), Duration: 2}
	if caption != "" {
		p.Post(telegramtest.Message{Chat: p.chat, From: &p.ann, Audio: f, Caption: caption})
		return
	}
	p.Post(telegramtest.Message{Chat: p.chat, From: &p.ann, Voice: f})
}

// answer waits for the n-th answer to be whole: what is seen before may still grow.
func (p phone) answer(t *testing.T, d *daemon, n int) string {
	t.Helper()
	until(t, fmt.Sprintf("answer %d", n), func() bool {
		var sent []json.RawMessage
		d.must(t, http.MethodGet, "/api/deliveries?state=sent", nil, &sent)
		return len(sent) >= n
	})
	return p.Texts(p.chat)[n-1]
}

// repeats answers with what was said.
func repeats(r request) any {
	_, said := r.since()
	return text("Said: " + said)
}

// TestTranscription_AVoiceNote: it is answered once, by what is said in it, also when the daemon is killed while
// it is transcribed; why it cannot be transcribed is told to the agent.
func TestTranscription_AVoiceNote(t *testing.T) {
	t.Parallel()
	databases(t, func(t *testing.T, s setup) {
		w := newWorld(t, repeats)
		release := make(chan struct{})
		e := newTranscriptions(w, func(audio string, gone <-chan struct{}) any {
			switch audio {
			case "hang":
				select {
				case <-release:
				case <-gone:
				}
			case "noise":
				return http.StatusBadRequest
			}
			return "Deploy the " + audio + "."
		})
		s.env = w.env()
		s.configured(t, "models: {transcription: openai/whisper-1}\n")
		d := s.running(t)
		p := newPhone(t, d)
		if line := s.doctor(t, "transcription"); !strings.Contains(line, "ok") || !strings.Contains(line, "openai/whisper-1") {
			t.Errorf("the doctor says %q", line)
		}

		p.speak("release", "")
		if got := p.answer(t, d, 1); !strings.Contains(got, "[Transcript of voice-release.ogg: Deploy the release.]") {
			t.Errorf("the answer is %q", got)
		}
		if want := []string{"whisper-1 voice-release.ogg release"}; !slices.Equal(e.asked, want) {
			t.Errorf("asked about %q", e.asked)
		}

		p.speak("hang", "")
		until(t, "the call that hangs", func() bool { return e.count("hang") == 1 })
		settled(t, d)
		d.kill()
		close(release)
		d = s.running(t)
		if got := p.answer(t, d, 2); !strings.Contains(got, "Deploy the hang.") {
			t.Errorf("after the kill the answer is %q", got)
		}

		p.speak("noise", "")
		if got := p.answer(t, d, 3); !strings.Contains(got, "could not be transcribed") || !strings.Contains(got, "The file is no audio file.") {
			t.Errorf("of noise the answer is %q", got)
		}
		p.Say(p.chat, p.ann, "Thank you")
		if got := p.answer(t, d, 4); !strings.Contains(got, "Thank you") {
			t.Errorf("something is answered twice: %q", p.Texts(p.chat))
		}
		d.stop()
		s.verified(t)
	})
}

// TestTranscription_KillWhileTranscribing kills the daemon at every commit and every outside call from when a voice note
// comes until it is answered: it is transcribed by each life at most once, told once and answered once.
func TestTranscription_KillWhileTranscribing(t *testing.T) {
	t.Parallel()
	const least, most = 16, 100 // points that are passed: some 26 on an idle machine, fewer on a busy one, where the answer is seen before them
	for db, step := range map[string]int{"sqlite": 1, "postgres": 5} {
		t.Run(db, func(t *testing.T) {
			t.Parallel()
			killed := true
			for at := 1; killed; at += step {
				if at > most {
					t.Fatalf("it is not answered before point %d", most)
				}
				t.Run(strconv.Itoa(at), func(t *testing.T) {
					s := setup{data: t.TempDir()}
					if db == "postgres" {
						s.postgres = pgtest.URL(t)
					}
					killed = killWhileTranscribing(t, s, at)
				})
				if !killed && at <= least {
					t.Errorf("it was answered before point %d, want %d points or more", at, least)
				}
			}
		})
	}
}

func killWhileTranscribing(t *testing.T, s setup, at int) (killed bool) {
	t.Helper()
	w := newWorld(t, repeats)
	e := newTranscriptions(w, func(string, <-chan struct{}) any { return "Deploy it." })
	s.env = w.env()
	s.configured(t, "models: {transcription: openai/whisper-1}\n")
	d, p := s.running(t), newPortal(t)
	p.open(t, d)
	p.link(t, d, "ann", "viewer")
	d.stop()
	note := from("c1", "ann", "a1", "")
	note["files"] = []any{map[string]any{"name": "voice.ogg", "type": "audio/ogg", "data": []byte("OggS")}}
	body, err := json.Marshal(note)
	if err != nil {
		t.Fatal(err)
	}
	d, up := s.start(t, fmt.Sprintf("CHELA_DIE_AT=%d", at))
	for taken := false; len(p.got("c1")) == 0; {
		if up && !taken {
			stamp := strconv.FormatInt(time.Now().Unix(), 10)
			status, err := p.try(t.Context(), d, "a1", stamp, p.sign("a1", stamp, body), body)
			taken = err == nil && status == http.StatusNoContent
		}
		select {
		case <-d.done:
			killed = true
			d, up, taken = s.running(t), true, false // the platform says it again when it does not know
		case <-time.After(5 * time.Millisecond):
		}
	}
	d.kill() // it may be about to die
	d = s.running(t)
	p.up(t, d)
	p.say(t, d, from("c1", "ann", "a2", "Thank you"))
	until(t, "the last answer", func() bool { return len(p.got("c1")) >= 2 })
	got := p.got("c1")
	if len(got) != 2 || !strings.Contains(got[0], "Deploy it.") || !strings.Contains(got[1], "Thank you") {
		t.Errorf("the answers are %q", got)
	}
	if n := e.count("OggS"); n < 1 || n > 2 || n == 2 && !killed {
		t.Errorf("it was asked about %d times", n)
	}
	d.stop()
	s.verified(t)
	return killed
}

// TestTranscription_BesideWords: the words are answered at once; what the audio file says follows, and is
// answered. Without a model that transcribes the agent is told so.
func TestTranscription_BesideWords(t *testing.T) {
	t.Parallel()
	databases(t, func(t *testing.T, s setup) {
		w := newWorld(t, repeats)
		release := make(chan struct{})
		newTranscriptions(w, func(audio string, _ <-chan struct{}) any {
			<-release
			return "Deploy the " + audio + "."
		})
		s.env = w.env()
		s.configured(t, "models: {transcription: openai/whisper-1}\n")
		d := s.running(t)
		p := newPhone(t, d)
		p.speak("meeting", "What do you think?")
		if got := p.answer(t, d, 1); !strings.Contains(got, "What do you think?") || !strings.Contains(got, "It is being transcribed") {
			t.Errorf("the first answer is %q", got)
		}
		close(release)
		if got := p.answer(t, d, 2); !strings.Contains(got, "[Transcript of audio-meeting.mp3: Deploy the meeting.]") {
			t.Errorf("the second answer is %q", got)
		}
		settled(t, d)
		d.stop()

		s.configured(t, "models: {transcription: nobody/whisper-1}\n")
		d = s.running(t)
		if line := s.doctor(t, "transcription"); !strings.Contains(line, "BAD") || !strings.Contains(line, "nobody/whisper-1") {
			t.Errorf("the doctor says %q", line)
		}
		p.speak("whisper", "")
		if got := p.answer(t, d, 3); !strings.Contains(got, "Nobody here can hear it.") {
			t.Errorf("where nothing is transcribed the answer is %q", got)
		}
		d.stop()
		s.verified(t)
	})
}

// settled waits until all deliveries are sent: what is under way when a daemon dies may come twice.
func settled(t *testing.T, d *daemon) {
	t.Helper()
	until(t, "the last delivery", func() bool {
		var all []struct{ State string }
		d.must(t, http.MethodGet, "/api/deliveries", nil, &all)
		return !slices.ContainsFunc(all, func(d struct{ State string }) bool { return d.State != "sent" })
	})
}
