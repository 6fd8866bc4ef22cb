package client

import (
	"fmt"
	"strings"
	"testing"
)

func TestFollow_Frames(t *testing.T) {
	t.Parallel()
	var got []string
	err := readFrames(strings.NewReader(": the log from 3 on\nretry: 1000\n\nid: 4\ndata: {\"a\":1}\n\nevent: tick\ndata: {}\n\n: alive\n\ndata: one\ndata: two\n\ndata: cut"), func(h Heard) {
		got = append(got, fmt.Sprintf("%v %d %q", h.Tick, h.Seq, h.Data))
	})
	want := `[false 4 "{\"a\":1}" true 0 "{}" false 0 "one\ntwo"]`
	if fmt.Sprint(got) != want || err != nil {
		t.Errorf("%v %v", got, err)
	}
}

func FuzzFrames(f *testing.F) {
	f.Add("id: 4\ndata: {}\n\nevent: tick\ndata: x\ndata: y\n\n")
	f.Add("data\n\nid: 99999999999999999999\ndata: \n\n:")
	f.Fuzz(func(t *testing.T, in string) {
		err := readFrames(strings.NewReader(in), func(h Heard) {
			if h.Data == nil || len(h.Data) > len(in) {
				t.Errorf("%+v", h)
			}
		})
		if err != nil && len(in) < longestFrame {
			t.Error(err)
		}
	})
}
