package cli

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/gateway"
	"chela/internal/gateway/client"
	"chela/internal/gateway/clutch"
	"chela/internal/mcp"
	"chela/internal/org"
	"chela/internal/run"
	"chela/internal/worker"
)

func (a *app) agentAdd() *cobra.Command {
	var about worker.About
	var seconds int
	c := a.asked("add AGENT", "Add an agent that works elsewhere and fetches its tasks; prints its key once", cobra.ExactArgs(1), func(ctx context.Context, cl *client.Client, args []string) error {
		name := args[0]
		if err := mayBeWorker(ctx, cl, name); err != nil {
			return err
		}
		if _, err := cl.SetMcpServer(ctx, mcp.Server{Name: name, Worker: &about, Seconds: seconds}); err != nil {
			return err
		}
		seen, err := cl.InspectMcpServer(ctx, name)
		if err != nil {
			return err
		}
		if _, err := cl.AcceptMcpTools(ctx, name, client.MCPDigest{Digest: seen.Seen.Digest}); err != nil {
			return err
		}
		if _, err := cl.RegisterMcpAgent(ctx, name, client.MCPRegister{As: &name}); err != nil {
			return err
		}
		out, err := cl.MakeKey(ctx, client.KeyBody{Name: "tasks of " + name, Agent: &name})
		if err != nil {
			return err
		}
		return a.print(out, func() {
			a.printf("%s is a member, and fetches its tasks with this key, which is shown this once:\n%s\n", name, out.Token)
			a.printf("\nWhere it works, a program gets each task on its standard input, and what it writes is the answer:\nCHELA_URL=%s CHELA_TOKEN=KEY chela agent work %s -- PROGRAM ARGUMENTS\n", cl.Address(), name)
			a.printf("\n`chela chat --agent %s` speaks with it.\n", name)
		})
	})
	c.Example = "chela agent add reviewer --does 'Reviews Go code.' --skill code_review"
	c.Flags().StringVar(&about.Does, "does", "", "what it does, in a sentence or two")
	c.Flags().StringSliceVar(&about.Skills, "skill", nil, "what it can be asked for, such as code_review")
	c.Flags().IntVar(&seconds, "seconds", 0, "how long a call that waits for it may take; 60 when 0. It may work on for a day")
	return c
}

// mayBeWorker refuses a name that is another's: of an agent that works here, or of a server that is no worker.
func mayBeWorker(ctx context.Context, cl *client.Client, name string) error {
	m, err := cl.GetAgent(ctx, name)
	switch {
	case err == nil && !m.Outside():
		return fault.New(fault.Conflict, "The agent %s works here; give the other one another name.", name)
	case err != nil && fault.KindOf(err) != fault.NotFound:
		return err
	}
	all, err := cl.ListMcpServers(ctx)
	if err != nil {
		return err
	}
	for _, s := range all {
		if s.Name == name && s.Worker == nil {
			return fault.New(fault.Conflict, "There is a server %s already, and it is no worker; give the agent another name.", name)
		}
	}
	return nil
}

// How a program works for an agent.
const (
	fetchSeconds = 30
	sayEvery     = time.Minute // that it still works
	askedExit    = 3           // with which a program asks what it wrote
	mostPause    = time.Minute // between attempts to reach the daemon
	lastWords    = 1000        // bytes of what a program that failed wrote about itself
)

func (a *app) agentWork() *cobra.Command {
	var once bool
	var parallel int
	c := a.asked("work AGENT -- PROGRAM [ARGUMENTS…]", "Be an agent elsewhere: fetch its tasks, and have a program do each", cobra.MinimumNArgs(2), func(ctx context.Context, cl *client.Client, args []string) error {
		if parallel < 1 || parallel > 100 {
			return fault.New(fault.Invalid, "--parallel is how many tasks are worked on at a time, from 1 to 100.")
		}
		if _, err := exec.LookPath(args[1]); err != nil {
			return fault.New(fault.NotFound, "There is no program %s here.", args[1])
		}
		w := &workLoop{app: a, cl: cl, agent: event.Party{AgentID: "agent:" + org.AgentID(args[0]).Name()}, argv: args[1:]}
		return w.work(ctx, parallel, once)
	})
	c.Long = "Be an agent elsewhere: fetch its tasks, and have a program do each.\n\nThe program gets the task on its standard input. What it writes is the answer; exit code 3 says that it is a question, and any other than 0 that the task failed. " +
		"CHELA_TASK, CHELA_THREAD and CHELA_ATTEMPT name the task, the conversation and the attempt. A program whose task is cancelled is ended. The token is the key of the agent (`chela agent add`)."
	c.Example = "CHELA_TOKEN=… chela agent work reviewer --url https://chela.example -- ./review.sh"
	c.Flags().BoolVar(&once, "once", false, "end after the tasks that wait now")
	c.Flags().IntVar(&parallel, "parallel", 1, "how many tasks are worked on at a time")
	return c
}

// A workLoop does the tasks of an agent by a program.
type workLoop struct {
	*app
	cl    *client.Client
	agent event.Party
	argv  []string
	mint  *event.Mint // nil: the real one
}

// work fetches tasks and does them, until ctx ends; once is for those that wait now.
func (w *workLoop) work(ctx context.Context, parallel int, once bool) error {
	var busy errgroup.Group
	busy.SetLimit(parallel)
	free := make(chan struct{}, parallel)
	pause := time.Second
	wait := fetchSeconds
	if once {
		wait = 0
	} else {
		w.complain("%s waits for tasks. Ctrl+C ends it.\n", org.AgentID(w.agent.AgentID).Name())
	}
	for ctx.Err() == nil {
		select {
		case free <- struct{}{}:
		case <-ctx.Done():
			continue
		}
		var out clutch.Fetched
		err := w.cl.Call(ctx, http.MethodGet, gateway.WorkersPath+"/tasks?limit=1&wait="+strconv.Itoa(wait), nil, &out)
		switch kind := fault.KindOf(err); {
		case ctx.Err() != nil:
		case err != nil && (once || kind == fault.Unauthenticated || kind == fault.Denied || kind == fault.Invalid || kind == fault.NotFound):
			_ = busy.Wait() // none of them fails
			return err
		case err != nil:
			<-free
			w.complain("%s It is tried again in %s.\n", fault.TextOf(err), pause)
			sleep(ctx, pause)
			pause = min(2*pause, mostPause)
			continue
		case len(out.Messages) > 0:
			pause = time.Second
			if w.accept(ctx, out.Messages[0]) {
				busy.Go(func() error {
					defer func() { <-free }()
					w.do(ctx, out.Messages)
					return nil
				})
				continue
			}
		case once:
			return busy.Wait()
		}
		<-free
	}
	return busy.Wait()
}

func sleep(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}

// say tells the daemon something of a task, as often as that takes within a few minutes, and returns where the task stands then.
func (w *workLoop) say(ctx context.Context, of event.Message, kind string, payload any) (stands clutch.Stands, err error) {
	raw, err := json.Marshal(payload)
	if err != nil {
		return stands, fmt.Errorf("encode a message: %w", err)
	}
	m := event.Message{
		V: event.Version, ID: w.mint.ID("msg"), TS: w.mint.Now().UTC(), ThreadID: of.ThreadID, RunID: of.RunID, TaskID: of.TaskID, From: w.agent, To: []event.Party{of.From}, Type: kind, Payload: raw,
	}
	for pause := time.Second; ; pause *= 2 {
		err = w.cl.Call(ctx, http.MethodPost, gateway.WorkersPath, m, &stands)
		if fault.KindOf(err) != fault.Unavailable || err == nil || pause > mostPause || ctx.Err() != nil {
			return stands, err
		}
		sleep(ctx, pause)
	}
}

// accept takes a task; false says that another has it, or that it is not there any more.
func (w *workLoop) accept(ctx context.Context, m event.Message) bool {
	_, err := w.say(ctx, m, event.TaskAccept, run.TaskAccept{TaskID: m.TaskID, AgentID: w.agent.AgentID, StartedAt: w.mint.Now().UTC()})
	if err != nil && fault.KindOf(err) != fault.Conflict && ctx.Err() == nil {
		w.complain("%s: %s\n", m.TaskID, fault.TextOf(err))
		sleep(ctx, time.Second)
	}
	return err == nil
}

// do has the program do a task, and brings what came of it.
func (w *workLoop) do(ctx context.Context, told []event.Message) {
	first := told[0]
	w.complain("%s begins.\n", first.TaskID)
	working, end := context.WithCancelCause(ctx)
	defer end(nil)
	go w.stillWorks(working, end, first)
	var in, out, errs bytes.Buffer
	for _, m := range told {
		var p struct{ Title, Description, Message string }
		_ = json.Unmarshal(m.Payload, &p) // the daemon wrote it
		in.WriteString(strings.TrimSpace(cmp.Or(p.Description, p.Message, p.Title)) + "\n\n")
	}
	cmd := exec.CommandContext(working, w.argv[0], w.argv[1:]...) //nolint:gosec // the program that the person at the terminal names
	cmd.Stdin, cmd.Stdout, cmd.Stderr, cmd.WaitDelay = &in, &out, &errs, 5*time.Second
	cmd.Env = append(os.Environ(), "CHELA_TASK="+first.TaskID, "CHELA_THREAD="+first.ThreadID, "CHELA_ATTEMPT="+strconv.Itoa(first.Attempt), "CHELA_TOKEN=")
	err := cmd.Run()
	switch {
	case errors.Is(context.Cause(working), errCancelled):
		w.complain("%s was cancelled.\n", first.TaskID)
		return
	case ctx.Err() != nil:
		w.complain("%s is left; it waits again within %s.\n", first.TaskID, worker.Lease)
		return
	}
	kind, payload := w.outcome(err, out.String(), errs.String())
	stands, err := w.say(context.WithoutCancel(ctx), first, kind, payload)
	if err != nil {
		w.complain("%s: %s\n", first.TaskID, fault.TextOf(err))
		return
	}
	if stands.State == worker.Asks {
		w.complain("%s asks, and waits for the answer.\n", first.TaskID)
		return
	}
	w.complain("%s is %s.\n", first.TaskID, stands.State)
}

var errCancelled = errors.New("the task was cancelled")

// stillWorks says every minute that a task is worked on, and ends the work when it is cancelled.
func (w *workLoop) stillWorks(ctx context.Context, end context.CancelCauseFunc, of event.Message) {
	tick := time.NewTicker(sayEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		stands, err := w.say(ctx, of, event.TaskProgress, run.TaskProgress{Status: "running"})
		if err == nil && stands.State == worker.Cancelled {
			end(errCancelled)
			return
		}
	}
}

// outcome is what a program said, as a message.
func (w *workLoop) outcome(err error, out, errs string) (kind string, payload any) {
	out = strings.TrimSpace(strings.ToValidUTF8(out, "�"))
	if over := len(out) - worker.MostOutput; over > 0 {
		const note = "\n[The answer was cut here.]"
		out = strings.ToValidUTF8(out[:worker.MostOutput-len(note)], "") + note
	}
	failed, exited := errors.AsType[*exec.ExitError](err)
	switch {
	case err == nil:
		raw, _ := json.Marshal(out) // a text always is JSON
		return event.TaskResult, run.TaskResult{Success: true, Output: raw}
	case exited && failed.ExitCode() == askedExit && out != "":
		return event.TaskProgress, run.TaskProgress{Status: clutch.AsksAnswer, Message: out}
	}
	said := strings.TrimSpace(strings.ToValidUTF8(errs[max(0, len(errs)-lastWords):], ""))
	return event.TaskError, run.TaskError{Code: err.Error(), Message: cmp.Or(said, "The program failed.")}
}
