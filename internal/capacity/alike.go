package capacity

import (
	"slices"
	"strings"

	"chela/internal/desk"
)

// Alike are two people who are likely the same, and why. Nothing merges them but a person.
type Alike struct {
	Kept   string `json:"kept"`
	Name   string `json:"name"`
	Other  string `json:"other"`
	Called string `json:"called" doc:"the name of the other"`
	Why    string `json:"why"`
}

// Why two people are likely the same.
const (
	sameMail   = "They have the same e-mail address."
	turnedName = "One is the name of the other with the last name first."
	madeHandle = "One is a handle or an address that is made of the name of the other, and of nobody else's."
)

// somebody is a person whom others may be.
type somebody struct {
	id, name, mail string
	first, last    string // of a name in full, in small letters
}

// Likely returns the people who are likely the same, each pair once. Of a handle that fits several people nothing is said.
func Likely(all []Person) []Alike {
	people := make([]somebody, 0, len(all))
	for i := range all {
		people = append(people, somebodyOf(all[i].ID, &all[i].ResourceBody))
	}
	slices.SortStableFunc(people, func(a, b somebody) int { return fullFirst(a) - fullFirst(b) }) // who has a name in full is kept
	var out []Alike
	same := make(map[string]bool)
	add := func(kept, other somebody, why string) {
		if !same[other.id] && !same[kept.id+" "+other.id] {
			same[other.id], same[kept.id+" "+other.id] = true, true
			out = append(out, Alike{kept.id, kept.name, other.id, other.name, why})
		}
	}
	byName, byMail, byHandle := make(map[string][]int), make(map[string][]int), make(map[string][]int)
	for i, p := range people {
		if p.mail != "" {
			byMail[p.mail] = append(byMail[p.mail], i)
		}
		if p.last == "" {
			continue
		}
		byName[p.first+" "+p.last] = append(byName[p.first+" "+p.last], i)
		for _, h := range handlesOf(p) {
			byHandle[h] = append(byHandle[h], i)
		}
	}
	for i, p := range people {
		if one := byMail[p.mail]; p.mail != "" && one[0] != i {
			add(people[one[0]], p, sameMail)
		}
		if one := byName[turned(p.name)]; len(one) == 1 && one[0] != i {
			add(people[one[0]], p, turnedName)
		}
		if one := byHandle[handle(p)]; p.last == "" && len(one) == 1 {
			add(people[one[0]], p, madeHandle)
		}
	}
	return out
}

func fullFirst(p somebody) int {
	if p.last != "" {
		return 0
	}
	return 1
}

func somebodyOf(id string, b *desk.ResourceBody) somebody {
	p := somebody{id: id, name: b.Name, mail: strings.ToLower(strings.TrimSpace(b.Email))}
	if p.mail == "" && strings.Contains(b.Name, "@") && !strings.HasPrefix(b.Name, "@") {
		p.mail = strings.ToLower(b.Name)
	}
	words := strings.Fields(plainLetters(b.Name))
	if len(strings.Fields(b.Name)) >= 2 && len(words) >= 2 && !strings.ContainsAny(b.Name, ",@") {
		p.first, p.last = words[0], words[len(words)-1]
	}
	return p
}

// asHandle are letters as handles are written.
var asHandle = strings.NewReplacer("ä", "ae", "ö", "oe", "ü", "ue", "ß", "ss", "á", "a", "à", "a", "â", "a", "å", "a", "ã", "a", "ç", "c", "č", "c", "é", "e", "è", "e", "ê", "e", "ë", "e",
	"í", "i", "ï", "i", "ł", "l", "ñ", "n", "ó", "o", "ô", "o", "ø", "o", "õ", "o", "š", "s", "ú", "u", "û", "u", "ý", "y", "ž", "z", ".", " ", "’", "", "'", "")

// plainLetters is a text in small letters without accents, as handles are written.
func plainLetters(text string) string { return asHandle.Replace(strings.ToLower(text)) }

// turned is "first last" of "Last, First", "" of every other name.
func turned(name string) string {
	last, first, ok := strings.Cut(plainLetters(name), ",")
	if words := strings.Fields(first); ok && len(words) > 0 && strings.TrimSpace(last) != "" && !strings.Contains(first, ",") {
		all := strings.Fields(last)
		return words[0] + " " + all[len(all)-1]
	}
	return ""
}

// handlesOf are the handles that are made of a name: "dreyes", "danareyes".
func handlesOf(p somebody) []string {
	return []string{string([]rune(p.first)[:1]) + p.last, p.first + p.last}
}

// handle is what a name says that is a handle or an address, without what stands between its parts; "" of a name of several words.
func handle(p somebody) string {
	local, _, _ := strings.Cut(strings.TrimPrefix(p.name, "@"), "@")
	if strings.ContainsAny(local, " ,") || len(local) < 4 {
		return ""
	}
	return strings.NewReplacer(" ", "", "_", "", "-", "").Replace(plainLetters(local))
}
