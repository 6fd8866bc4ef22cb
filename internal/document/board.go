package document

import (
	"encoding/json"
	"fmt"
	"strings"
)

// A board is what the cards of Trello's export name by ids only: lists, people, and what
// people said about them.
type board struct {
	lists, people map[string]string
	said          map[string][]string // card → comments, as JSON
}

// boardOf reads the lists, people and comments that lie beside the cards; nil when there
// are none.
func boardOf(text string) *board {
	var in struct {
		Lists []struct {
			ID   string `json:"id"`
			Name string `json:"name"`
		} `json:"lists"`
		Members []struct {
			ID       string `json:"id"`
			FullName string `json:"fullName"`
			Username string `json:"username"`
		} `json:"members"`
		Actions []struct {
			Type    string `json:"type"`
			Date    string `json:"date"`
			Creator struct {
				FullName string `json:"fullName"`
			} `json:"memberCreator"`
			Data struct {
				Text string `json:"text"`
				Card struct {
					ID string `json:"id"`
				} `json:"card"`
			} `json:"data"`
		} `json:"actions"`
	}
	if json.Unmarshal([]byte(text), &in) != nil || len(in.Lists)+len(in.Members) == 0 {
		return nil
	}
	b := &board{lists: make(map[string]string), people: make(map[string]string), said: make(map[string][]string)}
	for _, l := range in.Lists {
		b.lists[l.ID] = l.Name
	}
	for _, m := range in.Members {
		if b.people[m.ID] = m.FullName; m.FullName == "" {
			b.people[m.ID] = m.Username
		}
	}
	for i := len(in.Actions) - 1; i >= 0; i-- { // the newest comes first
		a := in.Actions[i]
		if a.Type != "commentCard" || a.Data.Text == "" {
			continue
		}
		raw, err := json.Marshal(map[string]any{"author": map[string]string{"name": a.Creator.FullName}, "date": a.Date, "text": a.Data.Text})
		if err == nil {
			b.said[a.Data.Card.ID] = append(b.said[a.Data.Card.ID], string(raw))
		}
	}
	return b
}

// fields are what the board knows of a card, under the names of Trello's own CSV.
func (b *board) fields(card value) (out []field) {
	if name := b.lists[card.member("idList").text]; name != "" {
		out = append(out, field{"List Name", name})
	}
	var people []string
	for _, id := range card.member("idMembers").kids {
		if name := b.people[id.text]; name != "" {
			people = append(people, name)
		}
	}
	if len(people) > 0 {
		out = append(out, field{"Members", strings.Join(people, ", ")})
	}
	for _, c := range b.said[card.member("id").text] {
		out = append(out, field{"Comments", fmt.Sprintf("[%s]", c)})
	}
	return out
}
