package terminal

import "chela/internal/stream"

// A draft is what an agent is writing, as far as it came.
type draft struct {
	run, agent, text string
	at               int // how many characters of it there are
	tool             string
}

// take adds a tick. What came before is not added again, what was lost leaves a mark, and an
// answer that is begun anew takes the draft's place.
func (d draft) take(t stream.Tick) draft {
	fresh := draft{run: t.Run, agent: t.Agent}
	switch t.Kind {
	case "tool":
		if d.run != t.Run {
			d = fresh
		}
		d.agent, d.tool = t.Agent, t.Text
		return d
	case "delta":
	default:
		return d
	}
	if d.run != t.Run || d.agent != t.Agent || t.At == 0 {
		d = fresh
	}
	all := []rune(t.Text)
	news := string(all[min(len(all), max(0, d.at-t.At)):])
	if t.At > d.at {
		news = " … " + news
	}
	d.text, d.at, d.tool = d.text+news, max(d.at, t.At+len(all)), ""
	return d
}
