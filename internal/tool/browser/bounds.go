package browser

import (
	"time"

	"github.com/chromedp/chromedp"

	"chela/internal/fault"
)

// watchEvery is how often it is looked at what Chromium uses.
const watchEvery = 250 * time.Millisecond

// A usage is what Chromium uses, with all that it started.
type usage struct {
	memory    int64 // bytes that are its own, not those of its program
	processor time.Duration
}

// watch ends the session when it uses more memory than it may, or more of the processor since
// it was last used. Pages go on by themselves, and the kernel bounds no tree of processes
// without a control group.
func (s *session) watch(o Options) {
	process := chromedp.FromContext(s.root).Browser.Process()
	if process == nil {
		return
	}
	t := time.NewTicker(watchEvery)
	defer t.Stop()
	var began time.Duration
	uses := int64(-1)
	for {
		select {
		case <-s.root.Done():
			return
		case <-t.C:
		}
		now, ok := used(process.Pid)
		if !ok {
			continue // it ends, or the system does not tell
		}
		if n := s.uses.Load(); n != uses || now.processor < began { // processes that ended take their time with them
			uses, began = n, now.processor
		}
		switch {
		case now.memory > o.Memory:
			s.exceed(fault.New(fault.TooLarge, "The page used more than %d MB of memory, so the browser was closed. Open a page that needs less; browser_navigate begins again.", o.Memory>>20))
			return
		case now.processor-began > o.Processor:
			s.exceed(fault.New(fault.TooLarge, "The page kept the processor busy for more than %s, so the browser was closed. Open a page that does less; browser_navigate begins again.", o.Processor))
			return
		}
	}
}

// exceed ends the session and keeps why.
func (s *session) exceed(why *fault.Error) {
	s.over.Store(why)
	s.close()
}
