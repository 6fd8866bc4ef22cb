package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"chela/internal/fault"
	"chela/internal/gateway/client"
)

func (a *app) vault() *cobra.Command {
	c := &cobra.Command{Use: "vault", Short: "Manage secrets by name; tools get those that the policy grants, nobody sees a value"}
	c.AddCommand(a.vaultSet(), a.vaultList(), a.vaultRemove(), a.vaultRotate(), a.vaultUnlock())
	return c
}

// terminal reports whether somebody types what is read.
func (a *app) terminal() bool {
	f, ok := a.in.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// hushAll asks for several things in turn; from a pipe each is a line.
func (a *app) hushAll(questions []string) ([]string, error) {
	if len(questions) > 1 && !a.terminal() {
		whole, err := a.hush(strings.Join(questions, ", "))
		if err != nil {
			return nil, err
		}
		lines := strings.Split(strings.ReplaceAll(strings.TrimRight(whole, "\r\n"), "\r\n", "\n"), "\n")
		if len(lines) != len(questions) {
			return nil, fault.New(fault.Invalid, "%d lines came in, for %d secrets: %s. Write each on a line of its own, in this order.", len(lines), len(questions), strings.Join(questions, ", "))
		}
		return lines, nil
	}
	var out []string
	for _, q := range questions {
		text, err := a.hush(q)
		if err != nil {
			return nil, err
		}
		out = append(out, text)
	}
	return out, nil
}

// hush asks for something without showing it; from a pipe it is the whole of it, without
// the last newline.
func (a *app) hush(question string) (string, error) {
	if !a.terminal() {
		raw, err := io.ReadAll(io.LimitReader(a.in, 1<<20))
		if err != nil {
			return "", fmt.Errorf("read %s: %w", question, err)
		}
		text := strings.TrimSuffix(string(raw), "\n")
		return strings.TrimSuffix(text, "\r"), nil
	}
	f, _ := a.in.(*os.File) // a terminal is one
	a.complain("%s: ", question)
	raw, err := term.ReadPassword(int(f.Fd()))
	a.complain("\n")
	if err != nil {
		return "", fmt.Errorf("read %s: %w", question, err)
	}
	return string(raw), nil
}

func (a *app) vaultSet() *cobra.Command {
	c := a.asked("set NAME", "Save a secret; its value is read from standard input or asked for", cobra.ExactArgs(1), func(ctx context.Context, cl *client.Client, args []string) error {
		value, err := a.hush("Value of " + args[0])
		if err != nil {
			return err
		}
		if err := cl.SetSecret(ctx, args[0], client.SecretInBody{Value: value}); err != nil {
			return err
		}
		return a.print(map[string]string{"set": args[0]}, func() {
			a.printf("%s is kept. No tool gets it before the policy grants it (secrets).\n", args[0])
		})
	})
	c.Example = "chela vault set GITHUB_TOKEN < token.txt"
	return c
}

func (a *app) vaultList() *cobra.Command {
	return a.asked("list", "List the names of secrets and who may use them", cobra.NoArgs, func(ctx context.Context, cl *client.Client, _ []string) error {
		out, err := cl.Vault(ctx)
		if err != nil {
			return err
		}
		return a.print(out, func() {
			for _, s := range out.Secrets {
				a.printf("%s  version %d, set %s\n", s.Name, s.Version, s.SetAt.Local().Format("2006-01-02 15:04"))
				for _, g := range s.Grants {
					a.printf("  for %s of %s in %s\n", strings.Join(g.Tools, ", "), someOf(g.Agents, "all agents"), someOf(g.Projects, "all projects"))
				}
				switch {
				case s.Broken != "":
					a.printf("  %s\n", s.Broken)
				case client.Value(s.Own):
					a.printf("  the daemon's own\n")
				case len(s.Grants) == 0:
					a.printf("  granted to nobody\n")
				}
			}
			if len(out.Secrets) == 0 {
				a.printf("The vault is empty.\n")
			}
			if out.Refusal != "" {
				a.printf("%s\n", out.Refusal)
			}
		})
	})
}

func (a *app) vaultRemove() *cobra.Command {
	return a.asked("rm NAME", "Delete a secret", cobra.ExactArgs(1), func(ctx context.Context, cl *client.Client, args []string) error {
		if err := cl.RemoveSecret(ctx, args[0]); err != nil {
			return err
		}
		return a.print(map[string]string{"removed": args[0]}, func() { a.printf("%s is forgotten.\n", args[0]) })
	})
}

func (a *app) vaultRotate() *cobra.Command {
	var key string
	var ask bool
	c := a.asked("rotate", "Encrypt all secrets again under a new key", cobra.NoArgs, func(ctx context.Context, cl *client.Client, _ []string) error {
		in := client.VaultRotation{Key: client.Given(key)}
		if ask {
			pass, err := a.newPassphrase()
			if err != nil {
				return err
			}
			in.Key, in.Passphrase = new("passphrase"), &pass
		}
		if err := cl.RotateVault(ctx, in); err != nil {
			return err
		}
		return a.print(map[string]bool{"rotated": true}, func() { a.printf("All secrets are sealed anew.\n") })
	})
	c.Flags().StringVar(&key, "key", "", "where the new key lies: passphrase, keyring or file; as before when empty")
	c.Flags().BoolVar(&ask, "ask", false, "ask for a new passphrase, which is then kept nowhere; `chela vault unlock` asks for it after each start")
	return c
}

// newPassphrase asks twice; from a pipe it is one line.
func (a *app) newPassphrase() (string, error) {
	first, err := a.hush("New passphrase")
	if f, ok := a.in.(*os.File); err != nil || !ok || !term.IsTerminal(int(f.Fd())) {
		return first, err
	}
	second, err := a.hush("Once more")
	if err == nil && first != second {
		err = fault.New(fault.Invalid, "The two passphrases differ; nothing was changed.")
	}
	return first, err
}

func (a *app) vaultUnlock() *cobra.Command {
	return a.asked("unlock", "Unlock the daemon's vault with its passphrase, for as long as the daemon runs", cobra.NoArgs, func(ctx context.Context, cl *client.Client, _ []string) error {
		pass, err := a.hush("Passphrase")
		if err != nil {
			return err
		}
		if err := cl.UnlockVault(ctx, client.VaultPassphrase{Passphrase: pass}); err != nil {
			return err
		}
		return a.print(map[string]bool{"unlocked": true}, func() { a.printf("The vault is open.\n") })
	})
}

// examineVault checks that the vault opens and that what is granted is there.
func (a *app) examineVault(ctx context.Context, cl *client.Client) []check {
	v, err := cl.Vault(ctx)
	if fault.KindOf(err) == fault.Denied {
		return []check{{"vault", true, "It is looked at with an admin's token."}}
	} else if err != nil {
		return []check{{"vault", false, textOf(err)}}
	}
	if v.Refusal != "" {
		return []check{{"vault", false, v.Refusal}}
	}
	text := "It is empty."
	if v.Key != "" {
		text = strings.TrimSpace(fmt.Sprintf("%d secrets; the key comes from the %s. %s", len(v.Secrets), v.Key, v.Note))
	}
	out := []check{{"vault", !strings.HasPrefix(v.Note, "Others can read"), text}}
	for _, s := range v.Secrets {
		if s.Broken != "" {
			out = append(out, check{"vault", false, s.Broken})
		}
	}
	for _, name := range v.Missing {
		out = append(out, check{"vault", false, "The policy grants " + name + ", which the vault does not hold; `chela vault set " + name + "`."})
	}
	return out
}
