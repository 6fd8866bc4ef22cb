package library

import (
	"embed"
	"strings"

	"chela/internal/fault"
)

//go:embed shipped/*.yaml
var shipped embed.FS

// Shipped lists the slugs of the workflows that come with Chela, by name.
func Shipped() []string {
	files, err := shipped.ReadDir("shipped")
	if err != nil {
		panic("library: the shipped workflows are embedded: " + err.Error())
	}
	var out []string
	for _, f := range files {
		out = append(out, strings.TrimSuffix(f.Name(), ".yaml"))
	}
	return out
}

// ShippedSource is the file of a workflow that comes with Chela, or a fault.NotFound.
func ShippedSource(slug string) ([]byte, error) {
	raw, err := shipped.ReadFile("shipped/" + slug + ".yaml")
	if err != nil {
		return nil, fault.Wrap(err, fault.NotFound, "No workflow %s comes with Chela; there are %s.", slug, strings.Join(Shipped(), ", "))
	}
	return raw, nil
}
