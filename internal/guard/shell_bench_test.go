package guard_test

import (
	"testing"

	"chela/internal/guard"
)

// BenchmarkReadCommand is the reading of one line; a decision is to take under 100 µs.
func BenchmarkReadCommand(b *testing.B) {
	for name, line := range map[string]string{
		"ordinary":  "go test ./...",
		"pipes":     "git log --oneline | grep -i fix | sort | uniq -c | head -20",
		"nested":    `sh -c 'cd src && for f in *.go; do wc -l "$f"; done'`,
		"dangerous": "cd /tmp; sudo env A=b timeout 5 rm -rf -- / ~",
		"python":    `python3 -c 'import os; os.system("rm -rf /"); print("x", "y z")'`,
	} {
		b.Run(name, func(b *testing.B) {
			sh := guard.Shell{Folders: work(), Home: "/home/ann"}
			b.ReportAllocs()
			for b.Loop() {
				sh.Read(line)
			}
		})
	}
}
