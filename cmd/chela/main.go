// Chela lets a software team's AI agents work as one organization.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"chela/internal/cli"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), //nolint:forbidigo // the one root
		os.Interrupt, syscall.SIGTERM)
	code := cli.Main(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}
