package inside

import (
	"errors"
	"unsafe"

	"golang.org/x/sys/unix"
)

// denied are the system calls that no program in the sandbox makes: those that change
// the machine or the sandbox, that look into other processes, and those with a record of
// holes in the kernel.
var denied = append([]uint32{
	unix.SYS_MOUNT, unix.SYS_UMOUNT2, unix.SYS_PIVOT_ROOT, unix.SYS_CHROOT, unix.SYS_MOVE_MOUNT, unix.SYS_OPEN_TREE,
	unix.SYS_FSOPEN, unix.SYS_FSCONFIG, unix.SYS_FSMOUNT, unix.SYS_FSPICK, unix.SYS_MOUNT_SETATTR,
	unix.SYS_UNSHARE, unix.SYS_SETNS,
	unix.SYS_PTRACE, unix.SYS_PROCESS_VM_READV, unix.SYS_PROCESS_VM_WRITEV, unix.SYS_PROCESS_MADVISE,
	unix.SYS_PIDFD_GETFD, unix.SYS_KCMP,
	unix.SYS_KEYCTL, unix.SYS_ADD_KEY, unix.SYS_REQUEST_KEY,
	unix.SYS_BPF, unix.SYS_PERF_EVENT_OPEN, unix.SYS_USERFAULTFD, unix.SYS_FANOTIFY_INIT,
	unix.SYS_IO_URING_SETUP, unix.SYS_IO_URING_ENTER, unix.SYS_IO_URING_REGISTER,
	unix.SYS_KEXEC_LOAD, unix.SYS_KEXEC_FILE_LOAD, unix.SYS_REBOOT,
	unix.SYS_INIT_MODULE, unix.SYS_FINIT_MODULE, unix.SYS_DELETE_MODULE,
	unix.SYS_OPEN_BY_HANDLE_AT, unix.SYS_NAME_TO_HANDLE_AT,
	unix.SYS_SWAPON, unix.SYS_SWAPOFF, unix.SYS_ACCT, unix.SYS_QUOTACTL, unix.SYS_QUOTACTL_FD,
	unix.SYS_SETHOSTNAME, unix.SYS_SETDOMAINNAME, unix.SYS_VHANGUP, unix.SYS_SYSLOG,
	unix.SYS_SETTIMEOFDAY, unix.SYS_CLOCK_SETTIME, unix.SYS_ADJTIMEX, unix.SYS_CLOCK_ADJTIME,
	unix.SYS_MIGRATE_PAGES, unix.SYS_MOVE_PAGES, unix.SYS_LOOKUP_DCOOKIE, unix.SYS_NFSSERVCTL,
}, deniedHere...)

const namespaceFlags = unix.CLONE_NEWUSER | unix.CLONE_NEWNS | unix.CLONE_NEWPID | unix.CLONE_NEWNET |
	unix.CLONE_NEWIPC | unix.CLONE_NEWUTS | unix.CLONE_NEWCGROUP

const tiocLinux = 0x541C // TIOCLINUX: selects and pastes on a console

// Where struct seccomp_data has what; both architectures are little-endian, and every
// argument looked at is one of 32 bits to the kernel.
const (
	offNumber = 0
	offArch   = 4
	offArgs   = 16
)

// A filter is a program for the kernel, run before every system call.
type filter []unix.SockFilter

func (f *filter) load(offset uint32) {
	*f = append(*f, unix.SockFilter{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: offset})
}

// when adds then, which is run when the loaded value compares so with k.
func (f *filter) when(op uint16, k uint32, then filter) {
	*f = append(*f, unix.SockFilter{Code: unix.BPF_JMP | op | unix.BPF_K, Jf: uint8(len(then)), K: k})
	*f = append(*f, then...)
}

func (f *filter) end(what uint32) {
	*f = append(*f, unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: what})
}

func ends(what uint32) filter { return filter{{Code: unix.BPF_RET | unix.BPF_K, K: what}} }

func fails(e unix.Errno) filter { return ends(unix.SECCOMP_RET_ERRNO | uint32(e)) }

// callFilter returns the filter. With a network of its own, or the host's where that is
// granted, a job may use Internet sockets; behind no root of its own it could reach the
// Unix sockets of the host, so that it gets none.
func callFilter(network, namespaces bool) filter {
	var f filter
	f.load(offArch)
	f = append(f, unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, Jt: 1, K: auditArch})
	f.end(unix.SECCOMP_RET_KILL_PROCESS)
	f.load(offNumber)
	if x32Bit != 0 {
		f.when(unix.BPF_JGE, x32Bit, fails(unix.ENOSYS))
	}
	for _, nr := range denied {
		f.when(unix.BPF_JEQ, nr, fails(unix.EPERM))
	}
	f.when(unix.BPF_JEQ, unix.SYS_CLONE3, fails(unix.ENOSYS)) // its flags cannot be seen; libraries go on to clone

	var clone filter
	clone.load(offArgs)
	clone.when(unix.BPF_JSET, namespaceFlags, fails(unix.EPERM))
	clone.end(unix.SECCOMP_RET_ALLOW)
	f.when(unix.BPF_JEQ, unix.SYS_CLONE, clone)

	var ioctl filter
	ioctl.load(offArgs + 8)
	ioctl.when(unix.BPF_JEQ, unix.TIOCSTI, fails(unix.EPERM))
	ioctl.when(unix.BPF_JEQ, tiocLinux, fails(unix.EPERM))
	ioctl.end(unix.SECCOMP_RET_ALLOW)
	f.when(unix.BPF_JEQ, unix.SYS_IOCTL, ioctl)

	var socket filter
	socket.load(offArgs)
	if network || namespaces {
		socket.when(unix.BPF_JEQ, unix.AF_UNIX, ends(unix.SECCOMP_RET_ALLOW))
		socket.when(unix.BPF_JEQ, unix.AF_INET, ends(unix.SECCOMP_RET_ALLOW))
		socket.when(unix.BPF_JEQ, unix.AF_INET6, ends(unix.SECCOMP_RET_ALLOW))
	}
	if network {
		var route filter
		route.load(offArgs + 16)
		route.when(unix.BPF_JEQ, unix.NETLINK_ROUTE, ends(unix.SECCOMP_RET_ALLOW))
		route = append(route, fails(unix.EAFNOSUPPORT)...)
		socket.when(unix.BPF_JEQ, unix.AF_NETLINK, route)
	}
	socket = append(socket, fails(unix.EAFNOSUPPORT)...)
	f.when(unix.BPF_JEQ, unix.SYS_SOCKET, socket)

	var pair filter
	pair.load(offArgs)
	pair.when(unix.BPF_JEQ, unix.AF_UNIX, ends(unix.SECCOMP_RET_ALLOW))
	pair = append(pair, fails(unix.EAFNOSUPPORT)...)
	f.when(unix.BPF_JEQ, unix.SYS_SOCKETPAIR, pair)
	f.end(unix.SECCOMP_RET_ALLOW)
	return f
}

// Filters reports whether this binary has a filter for its architecture.
const Filters = auditArch != 0

// filterCalls confines this thread to callFilter.
func filterCalls(network, namespaces bool) error {
	if !Filters {
		return errors.New("there is no filter for this architecture")
	}
	f := callFilter(network, namespaces)
	prog := unix.SockFprog{Len: uint16(len(f)), Filter: &f[0]}
	_, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, 0, uintptr(unsafe.Pointer(&prog)))
	if errno != 0 {
		return errno
	}
	return nil
}
