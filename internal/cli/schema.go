package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"chela/internal/definition"
	"chela/internal/fault"
	"chela/internal/gateway/client"
	"chela/internal/yamlfile"
)

func (a *app) schemas() *cobra.Command {
	c := &cobra.Command{Use: "schema", Short: "Keep the schemas of payload types, which steps of workflows expect", Long: "Keeps the schemas of payload types. A step says `expects: {payload_type: invoice.total.v1}` or `schema_ref: schema://acme/invoice/total@1`, and its answer has to fit."}
	c.AddCommand(a.schemaList(), a.schemaShow(), a.schemaSet(), a.schemaUndo())
	return c
}

func (a *app) schemaList() *cobra.Command {
	return a.asked("list", "List payload types: those that come with Chela, and your own", cobra.NoArgs, func(ctx context.Context, cl *client.Client, _ []string) error {
		all, err := cl.ListSchemas(ctx)
		if err != nil {
			return err
		}
		return a.print(all, func() {
			for _, p := range all {
				of := fmt.Sprintf("revision %d, %s", p.Revision, p.At.Format("2006-01-02"))
				if p.Comes {
					of = "comes with Chela"
				}
				a.printf("%-32s %s\n", p.Name, of)
			}
		})
	})
}

func (a *app) schemaShow() *cobra.Command {
	return a.asked("show TYPE", "Show a payload type: its schema, its revisions, and which workflows expect it", cobra.ExactArgs(1), func(ctx context.Context, cl *client.Client, args []string) error {
		p, err := cl.GetSchema(ctx, args[0])
		if err != nil {
			return err
		}
		return a.print(p, func() {
			a.printf("%s\n", p.Schema)
			for _, r := range p.Revisions {
				if !r.Comes {
					a.printf("revision %d  %s  %s  %s\n", r.Revision, r.At.Format("2006-01-02 15:04"), r.By, r.Note)
				}
			}
			if len(p.UsedBy) > 0 {
				a.printf("expected by %s\n", strings.Join(p.UsedBy, ", "))
			}
		})
	})
}

func (a *app) schemaSet() *cobra.Command {
	var note string
	c := a.asked("set TYPE FILE", "Register a JSON Schema, in JSON or YAML, as the next revision of a payload type", cobra.ExactArgs(2), func(ctx context.Context, cl *client.Client, args []string) error {
		raw, err := a.read(args[1])
		if err != nil {
			return err
		}
		schema, err := asJSON(args[1], raw)
		if err != nil {
			return err
		}
		p, err := cl.SetSchema(ctx, args[0], client.SchemaBody{Schema: schema, Note: client.Given(note)})
		if err != nil {
			return err
		}
		return a.print(p, func() { a.printf("%s has revision %d now.\n", p.Name, p.Revision) })
	})
	c.Long = "Registers a JSON Schema of an object as the next revision of a payload type, such as invoice.total.v1. One that would break workflows which expect the type is refused, with who they are; register it as the next version of the type then. FILE may be - for standard input."
	c.Flags().StringVar(&note, "note", "", "what is different")
	return c
}

func (a *app) schemaUndo() *cobra.Command {
	return a.asked("undo TYPE", "Take back the newest revision of a payload type", cobra.ExactArgs(1), func(ctx context.Context, cl *client.Client, args []string) error {
		if err := cl.UndoSchema(ctx, args[0]); err != nil {
			return err
		}
		return a.print(map[string]string{"name": args[0]}, func() { a.printf("The newest revision of %s is taken back.\n", args[0]) })
	})
}

// asJSON is what a file in YAML or JSON says, as JSON.
func asJSON(name string, raw []byte) (json.RawMessage, error) {
	f, err := yamlfile.Read(raw, definition.Depth())
	if err != nil {
		return nil, fault.Wrap(err, fault.Invalid, "%s cannot be read: %s", name, err)
	}
	if len(f.Docs) != 1 || yamlfile.Empty(f.Docs[0]) {
		return nil, fault.New(fault.Invalid, "%s has %d documents; it has one.", name, len(f.Docs))
	}
	var v any
	if err := yamlfile.Decode(f.Docs[0].Body, &v); err != nil {
		return nil, fault.Wrap(err, fault.Invalid, "%s cannot be read: %s", name, err)
	}
	return json.Marshal(definition.Settled(v))
}

// ownTypes finds payload types with the daemon, where there is one.
func (a *app) ownTypes(ctx context.Context) definition.OwnTypes {
	return func(name string) (map[string]any, bool) {
		cl, err := a.client()
		if err != nil {
			return nil, false
		}
		p, err := cl.GetSchema(ctx, name)
		if err != nil {
			return nil, false
		}
		v, err := definition.Read(p.Schema)
		m, _ := v.(map[string]any)
		return m, err == nil && m != nil
	}
}
