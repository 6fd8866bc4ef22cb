package shell_test

import (
	"testing"

	"chela/internal/shell"
)

// BenchmarkReader reads one line; a decision is to take under 100 µs.
func BenchmarkReader(b *testing.B) {
	for name, line := range map[string]string{
		"ordinary":  "go test ./...",
		"pipes":     "git log --oneline | grep -i fix | sort | uniq -c | head -20",
		"nested":    `sh -c 'cd src && for f in *.go; do wc -l "$f"; done'`,
		"dangerous": "cd /tmp; sudo env A=b timeout 5 rm -rf -- / ~",
		"python":    `python3 -c 'import os; os.system("rm -rf /"); print("x", "y z")'`,
	} {
		b.Run(name, func(b *testing.B) {
			sh := shell.Reader{Folders: work(), Home: "/home/ann"}
			b.ReportAllocs()
			for b.Loop() {
				sh.Read(line)
			}
		})
	}
}
