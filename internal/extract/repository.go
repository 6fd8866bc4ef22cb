package extract

import (
	"path"
	"strings"

	"chela/internal/pattern"
)

// Trackers of code number the issues of each repository from 1. An export of several
// holds one number more than once, so that a key is "owner/repository#7" there, as
// people write it; in an export of one it is "7".

var (
	issuePage    = pattern.New(`^https?://[^/\s]+/([^/\s]+(?:/[^/\s]+)*?)/(?:-/)?(?:issues|pull|merge_requests|work_items)/(\d{1,18})(?:[/?#]\S*)?$`)
	longRef      = pattern.New(`^([^#\s]*[^#\s/])#(\d{1,18})$`)
	issueNumber  = pattern.New(`^#?(\d{1,18})$`)
	repositoryOf = pattern.New(`^(?:https?://[^/\s]+/)?(?:api/v3/)?(?:repos/)?([^/\s#]+(?:/[^/\s#]+)*?)(?:#\d+)?/?$`)
)

// Numbered reads "7", "#7", "owner/repository#7" and the address of an issue's page.
// repository is empty where it does not say; ok is false when it is no such reference.
func Numbered(ref string) (repository, number string, ok bool) {
	for _, form := range []*pattern.Pattern{issuePage, longRef} {
		if m := form.FindStringSubmatch(ref); m != nil {
			return strings.TrimPrefix(strings.TrimPrefix(m[1], "api/v3/"), "repos/"), m[2], true
		}
	}
	if m := issueNumber.FindStringSubmatch(ref); m != nil {
		return "", m[1], true
	}
	return "", "", false
}

// repository says of which repository the row's issue is, when its key is a number.
func (r *rowReader) repository(row Row, t TicketRow) string {
	if _, n, ok := Numbered(t.Ref); !ok || n != t.Ref {
		return ""
	}
	if name, n, ok := Numbered(t.URL); ok {
		if n != t.Ref {
			return "" // the key is another number than that of the repository
		}
		return name
	}
	if m := repositoryOf.FindStringSubmatch(named(r.first(row, "repository"))); m != nil {
		return m[1]
	}
	return ""
}

// Alone is the repository whose issues the table holds, when it is one and each row has
// the address of its issue: then a number is key enough, and what it is a number of can
// be read off the ticket later.
func (t *TicketTable) Alone() (repository string, ok bool) {
	for i := range t.Tickets {
		name := t.Tickets[i].Repository
		if in, _, _ := Numbered(t.Tickets[i].URL); name == "" || in != name || repository != "" && name != repository {
			return "", false
		}
		repository = name
	}
	return repository, repository != ""
}

// LongKey is the key of an issue among those of several repositories.
func LongKey(repository, number string) string { return repository + "#" + number }

// Rekey gives every issue of a repository, and what refers to one, the key that key
// says. A reference that does not name a repository is to its own.
func (t *TicketTable) Rekey(key func(repository, number string) string) {
	full := make(map[string]string) // by the name without its owner
	for i := range t.Tickets {
		full[path.Base(t.Tickets[i].Repository)] = t.Tickets[i].Repository
	}
	for i := range t.Tickets {
		row := &t.Tickets[i]
		if row.Repository == "" {
			continue
		}
		again := func(ref string) string {
			repository, number, ok := Numbered(ref)
			switch {
			case !ok:
				return ref
			case repository == "":
				repository = row.Repository
			case full[repository] != "":
				repository = full[repository]
			}
			return key(repository, number)
		}
		row.Ref, row.Parent = again(row.Ref), again(row.Parent)
		for j := range row.Links {
			row.Links[j].Ref = again(row.Links[j].Ref)
		}
	}
}

// rekey tells the issues of several repositories apart.
func (t *TicketTable) rekey() {
	alone, _ := t.Alone()
	t.Rekey(func(repository, number string) string {
		if repository == alone {
			return number
		}
		return LongKey(repository, number)
	})
}
