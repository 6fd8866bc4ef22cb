package document

import (
	"encoding/hex"
	"encoding/json"
	"strings"
	"time"
)

// A board is what the cards of Trello's export name by ids only: lists, people, lists of
// things to do, fields of the team's own, and what people said about them.
type board struct {
	lists, people map[string]string
	todo          map[string][]checklist // by card
	own           map[string]ownField
	said          map[string][]remark // card → comments
	made          map[string]string   // card → who made it
}

// A checklist is a list of things to do, as the cells of checklists hold it.
type checklist struct {
	Name  string `json:"name"`
	Items []todo `json:"items"`
}

type todo struct {
	Text     string `json:"text"`
	Done     bool   `json:"done,omitempty"`
	Assignee string `json:"assignee,omitempty"`
}

// An ownField is a field that a team added to its board.
type ownField struct {
	name    string
	options map[string]string // id → text
}

// trello is what of an export lies beside the cards.
type trello struct {
	Lists []struct {
		ID   string `json:"id"`
		Name string `json:"name"`
	} `json:"lists"`
	Members []struct {
		ID       string `json:"id"`
		FullName string `json:"fullName"`
		Username string `json:"username"`
	} `json:"members"`
	Checklists []struct {
		Card  string `json:"idCard"`
		Name  string `json:"name"`
		Items []struct {
			Name   string `json:"name"`
			State  string `json:"state"`
			Member string `json:"idMember"`
		} `json:"checkItems"`
	} `json:"checklists"`
	Fields []struct {
		ID      string `json:"id"`
		Name    string `json:"name"`
		Options []struct {
			ID    string `json:"id"`
			Value struct {
				Text string `json:"text"`
			} `json:"value"`
		} `json:"options"`
	} `json:"customFields"`
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

// boardOf reads what lies beside the cards; nil when there is nothing.
func boardOf(text string) *board {
	var in trello
	if json.Unmarshal([]byte(text), &in) != nil || len(in.Lists)+len(in.Members) == 0 {
		return nil
	}
	b := &board{lists: make(map[string]string), people: make(map[string]string), todo: make(map[string][]checklist), own: make(map[string]ownField), said: make(map[string][]remark), made: make(map[string]string)}
	for _, l := range in.Lists {
		b.lists[l.ID] = l.Name
	}
	for _, m := range in.Members {
		if b.people[m.ID] = m.FullName; m.FullName == "" {
			b.people[m.ID] = m.Username
		}
	}
	for _, c := range in.Checklists {
		list := checklist{Name: c.Name}
		for _, item := range c.Items {
			list.Items = append(list.Items, todo{item.Name, item.State == "complete", b.people[item.Member]})
		}
		b.todo[c.Card] = append(b.todo[c.Card], list)
	}
	for _, f := range in.Fields {
		options := make(map[string]string)
		for _, o := range f.Options {
			options[o.ID] = o.Value.Text
		}
		b.own[f.ID] = ownField{f.Name, options}
	}
	for i := len(in.Actions) - 1; i >= 0; i-- { // the newest comes first
		if a := in.Actions[i]; a.Type == "createCard" {
			b.made[a.Data.Card.ID] = a.Creator.FullName
		}
		if a := in.Actions[i]; a.Type == "commentCard" && a.Data.Text != "" {
			b.said[a.Data.Card.ID] = append(b.said[a.Data.Card.ID], remark{a.Creator.FullName, a.Date, a.Data.Text})
		}
	}
	return b
}

// fields are what the board knows of a card, under the names of Trello's own CSV.
func (b *board) fields(card value, out []field) []field {
	id := card.member("id").text
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
	if raw, err := json.Marshal(b.todo[id]); err == nil && len(b.todo[id]) > 0 {
		out = append(out, field{"Checklists", string(raw)})
	}
	if who := b.made[id]; who != "" {
		out = append(out, field{"Creator", who})
	}
	if said := remarks(b.said[id]); said != "" {
		out = append(out, field{"Comments", said})
	}
	if made, ok := madeAt(id); ok {
		out = append(out, field{"Created", made})
	}
	for _, item := range card.member("customFieldItems").kids {
		f := b.own[item.member("idCustomField").text]
		text := f.options[item.member("idValue").text]
		for _, v := range item.member("value").kids {
			text += v.text
		}
		if f.name != "" && text != "" {
			out = append(out, field{f.name, text})
		}
	}
	return out
}

// madeAt is when a card was made: its id begins with the seconds since 1970.
func madeAt(id string) (string, bool) {
	raw, err := hex.DecodeString(id)
	if err != nil || len(raw) != 12 {
		return "", false
	}
	at := int64(raw[0])<<24 | int64(raw[1])<<16 | int64(raw[2])<<8 | int64(raw[3])
	return time.Unix(at, 0).UTC().Format(time.RFC3339), true
}
