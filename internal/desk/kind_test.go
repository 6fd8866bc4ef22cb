package desk

import "testing"

// A riskBody is a kind that nobody has: what a file of a kind has to say.
type riskBody struct {
	Name string `json:"name"`
}

func (r *riskBody) Check() error       { return required("name", r.Name) }
func (r *riskBody) identity() string   { return r.Name }
func (r *riskBody) title() string      { return r.Name }
func (r *riskBody) status() string     { return "" }
func (r *riskBody) refs() []Ref        { return nil }
func (r *riskBody) line(string) string { return "  a\n" + r.Name }
func (r *riskBody) everywhere() bool   { return r.Name == "all" }
func (*riskBody) facets() facets {
	return facets{kind: "risk", prefix: "rsk", word: "risk", section: "RISKS"}
}

func TestKind_OfAFile(t *testing.T) {
	t.Parallel()
	s := of[riskBody]()
	if s.kind != "risk" || !s.shared || s.owned {
		t.Errorf("the kind is %+v, want risk, shared and without owners", s)
	}
	thing := s.make()
	if err := thing.Check(); err == nil {
		t.Error("a new one passes without its name")
	}
	if section, line := Line(&riskBody{Name: "b"}, ""); section != "RISKS" || line != "a b" {
		t.Errorf("got %q %q, want RISKS and one line", section, line)
	}
	if Written(thing) != nil || End(thing, "2026-01-01") || Begin(thing) || Everywhere(thing) || !Everywhere(&riskBody{Name: "all"}) {
		t.Error("a kind does what its file does not say")
	}
}

func TestKinds_Facets(t *testing.T) {
	t.Parallel()
	prefixes := make(map[string]Kind)
	for _, s := range ordered {
		if s.kind == "" || s.word == "" || s.kind.Plural() == "" || len(s.prefix) != 3 {
			t.Errorf("got %+v, want a kind, its word and a prefix of three letters", s.facets)
		}
		if other, ok := prefixes[s.prefix]; ok {
			t.Errorf("the ids of %s and %s begin with %s", s.kind, other, s.prefix)
		}
		prefixes[s.prefix] = s.kind
		if _, has := s.make().(interface{ line(string) string }); has != (s.section != "") {
			t.Errorf("%s: a section of Ask %q and a line: %v, want both or none", s.kind, s.section, has)
		}
		_, succeeds := s.make().(interface{ succeed(Thing) })
		if succeeds != (s.current != "") {
			t.Errorf("%s: a current status %q and a successor: %v, want both or none", s.kind, s.current, succeeds)
		}
	}
	if len(specs) != len(ordered) {
		t.Errorf("got %d kinds in %d rows", len(specs), len(ordered))
	}
}
