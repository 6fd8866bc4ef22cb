package extract_test

import (
	"testing"

	"chela/internal/extract"
)

// TestRepository_IssuesOfSeveralRepositories reads exports in which repositories share numbers:
// each issue stays, its key can be read, and what it refers to is of its own repository.
func TestRepository_IssuesOfSeveralRepositories(t *testing.T) {
	t.Parallel()
	github := []string{
		"html_url|id|number|title|state|assignee.login|parent|blocked by",
		"https://github.com/example/pay/issues/7|701|7|Refund a card|open|ann||#8",
		"https://github.com/example/pay/issues/8|702|8|Sign|closed|ann|7|example/web#7",
		"https://github.com/example/web/issues/7|801|7|Show the refund|open|bo|pay#7|",
		"https://github.com/example/web/issues/8|802|8|Colours|open|bo|801|https://github.com/example/pay/issues/8",
	}
	type issue struct{ ref, parent, blocker string }
	for name, c := range map[string]struct {
		table []string
		want  []issue
	}{
		"GitHub": {github, []issue{
			{"example/pay#7", "", "example/pay#8"},
			{"example/pay#8", "example/pay#7", "example/web#7"},
			{"example/web#7", "example/pay#7", ""},
			{"example/web#8", "example/web#7", "example/pay#8"},
		}},
		"one repository": {github[:3], []issue{{"7", "", "8"}, {"8", "7", "example/web#7"}}},
		"GitHub, search": {[]string{
			"number|title|state|repository.name|repository.nameWithOwner|closedAt|author.login",
			"7|Refund a card|open|pay|example/pay||ann", "7|Show the refund|open|web|example/web||bo",
		}, []issue{{"example/pay#7", "", ""}, {"example/web#7", "", ""}}},
		"GitHub, API": {[]string{
			"repository_url|number|title|state|node_id|parent",
			"https://api.github.com/repos/example/pay|7|Refund a card|open|n1|", "https://api.github.com/repos/example/web|8|Show|open|n2|7",
		}, []issue{{"example/pay#7", "", ""}, {"example/web#8", "example/web#7", ""}}},
		"GitLab": {[]string{
			"Title|Issue ID|URL|State|Author Username|Confidential|Locked",
			"Refund a card|7|https://gitlab.com/example/shop/pay/-/issues/7|Open|ann|No|No",
			"Show the refund|7|https://gitlab.com/example/shop/web/-/issues/7|Open|bo|No|No",
		}, []issue{{"example/shop/pay#7", "", ""}, {"example/shop/web#7", "", ""}}},
		"keys that are no numbers": {[]string{
			"Issue key|Summary|Issue Type|Status|repository", "PAY-7|Refund a card|Bug|Open|example/pay", "PAY-7|Refund a card|Bug|Done|example/web",
		}, []issue{{"PAY-7", "", ""}}},
	} {
		t.Run(name, func(t *testing.T) {
			header, rows := table(c.table...)
			got, ok := extract.Tickets(header, rows)
			if !ok || len(got.Tickets) != len(c.want) {
				t.Fatalf("%v, %d tickets of %d\n%v", ok, len(got.Tickets), len(c.want), got.Problems)
			}
			for i, want := range c.want {
				row := got.Tickets[i]
				is := issue{ref: row.Ref, parent: row.Parent}
				if len(row.Links) > 0 {
					is.blocker = row.Links[0].Ref
				}
				if is != want {
					t.Errorf("%d: %+v, want %+v", i, is, want)
				}
			}
		})
	}
}

func FuzzNumbered(f *testing.F) {
	for _, s := range []string{"7", "#7", "a/b#7", "https://github.com/a/b/issues/7#issuecomment-1", "https://x.example/api/v3/repos/a/b/issues/7", "a#b#7", "/#1"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		repository, number, ok := extract.Numbered(s)
		if !ok {
			return
		}
		long := extract.LongKey(repository, number)
		if again, n, ok := extract.Numbered(long); !ok || again != repository || n != number {
			t.Errorf("%q is %q %q, and %q is %q %q %v", s, repository, number, long, again, n, ok)
		}
	})
}
