package run

import (
	"strings"

	"chela/internal/event"
)

// keyShare begins the shares of programs.
const keyShare = "key:"

// ShareOf is who asks for a run, as a lane is shared: a program, by its key, or a person or an agent.
func ShareOf(by event.Party) string {
	if by.Key != "" {
		return keyShare + by.Key
	}
	return by.AgentID
}

// Program reports whether a program asks for the job.
func (j Job) Program() bool { return strings.HasPrefix(j.Share, keyShare) }

// ShareOfLane is how much of a lane of that width the jobs of one program have at most, so that others begin at once: three quarters.
func ShareOfLane(width int) int { return max(1, width*3/4) }

// Fairest is the place in waiting, jobs of a lane of that width, oldest first, of the one that begins next: the oldest of
// who has least in work there, in a partition that is not busy; -1 is none.
func Fairest(waiting []Job, width int, busy func(partition string) bool, has func(share string) int) int {
	found, least, most := -1, 0, ShareOfLane(width)
	before := make(map[string]bool) // partitions of which an older job waits
	for i, j := range waiting {
		n, later := has(j.Share), before[j.Partition]
		before[j.Partition] = true
		if later || busy(j.Partition) || j.Program() && n >= most || found >= 0 && n >= least {
			continue
		}
		if found, least = i, n; n == 0 {
			break
		}
	}
	return found
}
