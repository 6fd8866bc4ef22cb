package bench

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// processorOf is the processor time that a process has used, with its children of now and those that it waited for, in the
// kernel's ticks of 10 ms; 0 where the kernel does not tell.
func processorOf(b *testing.B, pid int) (sum time.Duration) {
	b.Helper()
	for _, p := range append(childrenOf(b, pid), pid) {
		raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p))
		if err != nil {
			continue // it has ended
		}
		for _, f := range afterName(raw)[11:15] { // its own and its children's, of the program and of the kernel
			n, err := strconv.ParseInt(f, 10, 64)
			if err != nil {
				b.Fatal(err)
			}
			sum += time.Duration(n) * 10 * time.Millisecond
		}
	}
	return sum
}

// childrenOf are the processes that one began and that go on.
func childrenOf(b *testing.B, pid int) (out []int) {
	b.Helper()
	each, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		b.Fatal(err)
	}
	for _, file := range each {
		raw, err := os.ReadFile(file)
		if err != nil {
			continue // it has ended
		}
		if afterName(raw)[1] == strconv.Itoa(pid) {
			child, err := strconv.Atoi(filepath.Base(filepath.Dir(file)))
			if err != nil {
				b.Fatal(err)
			}
			out = append(out, child)
		}
	}
	return out
}

// afterName are the fields of /proc/PID/stat after the program's name, which may have spaces.
func afterName(stat []byte) []string {
	text := string(stat)
	return strings.Fields(text[strings.LastIndexByte(text, ')')+1:])
}
