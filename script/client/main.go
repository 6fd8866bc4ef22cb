// Command client writes the calls and the types of internal/gateway/client from
// docs/openapi.json. A schema that is a type of a package below the gateway, whose name begins
// with the package's, is that type. `make openapi` runs it.
package main

import (
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// run writes the client in the repository at a folder.
func run(args []string) error {
	root := "."
	if len(args) > 0 {
		root = args[0]
	}
	out, err := made(root)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(root, file), out, 0o644) //nolint:gosec // a source file
}

// file is what is written.
const file = "internal/gateway/client/api.gen.go"

func made(root string) ([]byte, error) {
	raw, err := os.ReadFile(filepath.Join(root, "docs/openapi.json"))
	if err != nil {
		return nil, err
	}
	t, err := declarations(filepath.Join(root, "internal"))
	if err != nil {
		return nil, err
	}
	return generate(raw, t)
}
