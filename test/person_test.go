package test

import (
	"net/url"
	"strconv"
	"strings"
	"testing"

	"chela/internal/fault"
)

type viewAnswer struct {
	ID     string `json:"id"`
	Read   int64  `json:"read"`
	Unread int    `json:"unread"`
}

type layoutAnswer struct {
	Name    string `json:"name"`
	Address string `json:"address"`
}

// TestWhatAPersonHas reads conversations and keeps layouts as two persons.
func TestWhatAPersonHas(t *testing.T) {
	w := newWorld(t, func(request) any { return text("Done.") })
	s := setup{data: t.TempDir(), env: w.env()}
	d, ok := s.start(t)
	if !ok {
		t.Fatal("it did not start")
	}
	project := newProject(t, d)
	vic, _ := d.member(t, "Vic", "viewer")

	var c chatAnswer
	d.must(t, "POST", "/api/chat", map[string]any{"projectId": project, "text": "What is late?", "agent": "pm", "wait": true}, &c)
	at := "/api/conversations/" + c.Thread
	unread := func(d *daemon, want int) viewAnswer {
		t.Helper()
		var list []viewAnswer
		d.must(t, "GET", "/api/conversations?project="+project, nil, &list)
		var one viewAnswer
		d.must(t, "GET", at, nil, &one)
		if len(list) != 1 || list[0] != one || one.Unread != want {
			t.Errorf("the list has %+v, the conversation %+v; want %d unread", list, one, want)
		}
		return one
	}
	unread(d, 1)
	unread(vic, 0)
	var marked viewAnswer
	d.must(t, "PUT", at+"/read", map[string]any{}, &marked)
	if marked.Unread != 0 || marked.Read == 0 {
		t.Errorf("marked %+v", marked)
	}
	vic.must(t, "PUT", at+"/read", map[string]any{"seq": 1 << 40}, nil) // a viewer reads, too
	if v := unread(vic, 0); v.Read != marked.Read {
		t.Errorf("a mark is at most what was said: %d, want %d", v.Read, marked.Read)
	}
	d.must(t, "PUT", at+"/read", map[string]any{"seq": 1}, nil)
	if v := unread(d, 0); v.Read != marked.Read {
		t.Errorf("the mark went to %d", v.Read)
	}
	var marks struct {
		Events []struct{} `json:"events"`
	}
	d.must(t, "GET", "/api/log?type=session.read", nil, &marks)
	if len(marks.Events) != 2 {
		t.Errorf("%d marks are recorded, want one for each", len(marks.Events))
	}
	d.must(t, "POST", "/api/chat", map[string]any{"threadId": c.Thread, "text": "And now?", "wait": true}, nil)
	unread(d, 1)
	unread(vic, 2)
	if err := d.try("PUT", "/api/conversations/thr_none/read", map[string]any{}, nil); fault.KindOf(err) != fault.NotFound {
		t.Errorf("no conversation: %v", err)
	}
	var page []struct {
		Seq  int64  `json:"seq"`
		Text string `json:"message"`
	}
	d.must(t, "GET", at+"/messages?newest=true&limit=2", nil, &page)
	if len(page) != 2 || page[0].Text != "And now?" {
		t.Fatalf("the newest are %+v", page)
	}
	d.must(t, "GET", at+"/messages?newest=true&limit=5&before="+strconv.FormatInt(page[0].Seq, 10), nil, &page)
	if len(page) != 2 || page[0].Text != "What is late?" {
		t.Errorf("before them are %+v", page)
	}
	checkLayouts(t, d, vic)
}

func checkLayouts(t *testing.T, d, vic *daemon) {
	t.Helper()
	var list []layoutAnswer
	name := "Morning / 50% of it?"
	at := "/api/me/layouts/" + url.PathEscape(name)
	d.must(t, "PUT", at, map[string]string{"address": "/tickets?project=p"}, nil)
	d.must(t, "PUT", at, map[string]string{"address": "/runs"}, &list)
	if len(list) != 1 || list[0] != (layoutAnswer{name, "/runs"}) {
		t.Errorf("the layouts are %+v", list)
	}
	vic.must(t, "GET", "/api/me/layouts", nil, &list)
	if len(list) != 0 {
		t.Errorf("another person sees %+v", list)
	}
	if err := vic.try("DELETE", at, nil, nil); fault.KindOf(err) != fault.NotFound {
		t.Errorf("another person removes it: %v", err)
	}
	for name, address := range map[string]string{strings.Repeat("n", 61): "/", "long": "/" + strings.Repeat("a", 4000), "empty": ""} {
		if err := d.try("PUT", "/api/me/layouts/"+name, map[string]string{"address": address}, nil); fault.KindOf(err) != fault.Invalid {
			t.Errorf("%.10s: %v", name, err)
		}
	}
	d.must(t, "DELETE", at, nil, &list)
	d.must(t, "GET", "/api/me/layouts", nil, &list)
	if len(list) != 0 {
		t.Errorf("removed, there are %+v", list)
	}
}
