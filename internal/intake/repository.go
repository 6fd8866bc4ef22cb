package intake

import (
	"chela/internal/desk"
	"chela/internal/extract"
)

// number notes under which key an issue of a repository is kept.
func (s *stock) number(b *desk.TicketBody) {
	repository, number, ok := extract.Numbered(b.ExternalRef)
	for _, url := range b.EvidenceLinks {
		if in, n, is := extract.Numbered(url); is && n == number && repository == "" {
			repository = in
			s.plain[in] = true
		}
	}
	if ok && repository != "" {
		s.numbers[extract.LongKey(repository, number)] = b.ExternalRef
	}
}

// rekey gives a table's issues the keys that the project has for them. A new one is its
// number alone only while all issues of the project and of the table are of one
// repository.
func (s *stock) rekey(t *extract.TicketTable) {
	alone, ok := t.Alone()
	for in := range s.plain {
		ok = ok && in == alone
	}
	if ok {
		s.plain[alone] = true
	}
	t.Rekey(func(repository, number string) string {
		long := extract.LongKey(repository, number)
		if key, is := s.numbers[long]; is {
			return key
		}
		if ok && repository == alone {
			return number
		}
		return long
	})
}
