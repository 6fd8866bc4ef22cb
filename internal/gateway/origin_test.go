package gateway

import "testing"

func TestHall_OriginIsOneOfOurs(t *testing.T) {
	t.Parallel()
	h := New(nil, Options{Hosts: []string{"chela.example.com"}})
	for name, c := range map[string]struct {
		asked Asked
		want  string
		page  bool
	}{
		"a program":                   {Asked{Host: "127.0.0.1:7077"}, "http://127.0.0.1:7077", false},
		"a program by TLS":            {Asked{Host: "chela.example.com", TLS: true}, "https://chela.example.com", false},
		"the page":                    {Asked{Host: "localhost:7077", Origin: "http://localhost:7077"}, "http://localhost:7077", true},
		"the page behind a proxy":     {Asked{Host: "127.0.0.1:7077", Origin: "https://chela.example.com"}, "https://chela.example.com", true},
		"in capitals":                 {Asked{Host: "127.0.0.1:7077", Origin: "https://Chela.Example.com"}, "https://Chela.Example.com", true},
		"with a port":                 {Asked{Host: "chela.example.com:8443", Origin: "https://chela.example.com:8443"}, "https://chela.example.com:8443", true},
		"a page of others":            {Asked{Host: "127.0.0.1:7077", Origin: "https://evil.example"}, "http://127.0.0.1:7077", false},
		"no origin that can be named": {Asked{Host: "127.0.0.1:7077", Origin: "null"}, "http://127.0.0.1:7077", false},
		"another scheme":              {Asked{Host: "127.0.0.1:7077", Origin: "file://localhost"}, "http://127.0.0.1:7077", false},
	} {
		if got, page := h.Origin(c.asked); got != c.want || page != c.page {
			t.Errorf("%s: %s %v, want %s %v", name, got, page, c.want, c.page)
		}
	}
}
