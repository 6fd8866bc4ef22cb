package inside

import (
	"errors"
	"fmt"
	"os"
	"path"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// errChanged says that what the order names is no longer what is there.
var errChanged = errors.New("the folders changed while the sandbox was built")

const old = "/.host" // where the host's root is while the new one is built

// buildRoot makes a root of its own in a temporary file system and shows in it what the
// order names. Sources are opened from the host's root without following any link, so
// that a link put in the way leads nowhere.
func buildRoot(o *Order) error {
	if err := enterRoot(o.Base); err != nil {
		return err
	}
	host, err := unix.Open(old, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("open the host's root: %w", err)
	}
	for link, to := range o.Links {
		if err := os.MkdirAll(path.Dir(link), 0o755); err != nil {
			return err
		}
		if err := os.Symlink(to, link); err != nil && !errors.Is(err, os.ErrExist) {
			return err
		}
	}
	if err := ownFileSystems(o); err != nil {
		return err
	}
	for _, m := range o.Mounts {
		if err := show(host, m); err != nil {
			return fmt.Errorf("show %s: %w", m.Path, err)
		}
	}
	if err := narrow(o); err != nil {
		return err
	}
	_ = unix.Close(host) // only a path
	if err := unix.Unmount(old, unix.MNT_DETACH); err != nil {
		return fmt.Errorf("leave the host's root: %w", err)
	}
	if err := os.Remove(old); err != nil {
		return err
	}
	if err := unix.MountSetattr(unix.AT_FDCWD, "/", 0, &unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY}); err != nil {
		return fmt.Errorf("close the root: %w", err)
	}
	return alone(o)
}

// enterRoot makes an empty root the root, and leaves the host's in old.
func enterRoot(base string) error {
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("keep mounts private: %w", err)
	}
	if err := unix.Mount("tmpfs", base, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, "mode=0755,size=16m"); err != nil {
		return fmt.Errorf("mount a root: %w", err)
	}
	if err := os.Mkdir(base+old, 0o700); err != nil {
		return err
	}
	if err := unix.PivotRoot(base, base+old); err != nil {
		return fmt.Errorf("change the root: %w", err)
	}
	return os.Chdir("/")
}

// ownFileSystems mounts what a job has for itself: its processes and its scratch.
func ownFileSystems(o *Order) error {
	for _, dir := range []string{"/proc", "/dev", o.Scratch} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return err
		}
	}
	const plain = unix.MS_NOSUID | unix.MS_NODEV
	if err := unix.Mount("proc", "/proc", "proc", plain|unix.MS_NOEXEC, ""); err != nil {
		return fmt.Errorf("mount /proc: %w", err)
	}
	if o.OwnPIDMax {
		// The limit of this namespace alone; it holds where a user's count does not, for root.
		// Once around, numbers begin again at 300.
		n := 300 + tasks(o)
		_ = os.WriteFile("/proc/sys/kernel/pid_max", []byte(strconv.Itoa(n)), 0) // watch counts as well
	}
	if err := unix.MountSetattr(unix.AT_FDCWD, "/proc", 0, &unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY}); err != nil {
		return fmt.Errorf("close /proc: %w", err)
	}
	size := "mode=0700,size=" + strconv.FormatInt(o.Memory, 10)
	if err := unix.Mount("tmpfs", o.Scratch, "tmpfs", plain, size); err != nil {
		return fmt.Errorf("mount the scratch: %w", err)
	}
	return nil
}

// open opens a path below root without following a link.
func open(root int, path string) (int, error) {
	rel := strings.TrimPrefix(path, "/")
	if rel == "" {
		rel = "."
	}
	fd, err := unix.Openat2(root, rel, &unix.OpenHow{
		Flags:   unix.O_PATH | unix.O_CLOEXEC | unix.O_NOFOLLOW,
		Resolve: unix.RESOLVE_NO_SYMLINKS | unix.RESOLVE_BENEATH,
	})
	if errors.Is(err, unix.ENOENT) || errors.Is(err, unix.ELOOP) || errors.Is(err, unix.ENOTDIR) {
		return -1, fmt.Errorf("%w: %s", errChanged, path)
	}
	return fd, err
}

func show(host int, m Mount) error {
	src, err := open(host, m.Source)
	if err != nil {
		return err
	}
	defer func() { _ = unix.Close(src) }()
	if err := place(src, m.Path); err != nil {
		return err
	}
	attr := unix.MountAttr{Attr_set: unix.MOUNT_ATTR_NOSUID}
	if !m.Device {
		attr.Attr_set |= unix.MOUNT_ATTR_NODEV
	}
	if !m.Write {
		attr.Attr_set |= unix.MOUNT_ATTR_RDONLY
	}
	return attach(src, m.Path, &attr, unix.AT_RECURSIVE)
}

// place makes a mount point of the kind of src, where there is none.
func place(src int, at string) error {
	var st, there unix.Stat_t
	if err := unix.Fstat(src, &st); err != nil {
		return err
	}
	if unix.Lstat(at, &there) == nil {
		return nil
	}
	dir := at
	folder := st.Mode&unix.S_IFMT == unix.S_IFDIR
	if !folder {
		dir = path.Dir(at)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil || folder {
		return err
	}
	return os.WriteFile(at, nil, 0o600)
}

// attach copies the mount at src, changes the copy, and puts it at path.
func attach(src int, path string, attr *unix.MountAttr, recursive uint) error {
	tree, err := unix.OpenTree(src, "", uint(unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC|unix.AT_EMPTY_PATH)|recursive)
	if err != nil {
		return fmt.Errorf("copy the mount: %w", err)
	}
	defer func() { _ = unix.Close(tree) }()
	if *attr != (unix.MountAttr{}) {
		if err := unix.MountSetattr(tree, "", unix.AT_EMPTY_PATH|recursive, attr); err != nil {
			return fmt.Errorf("narrow the mount: %w", err)
		}
	}
	root, err := unix.Open("/", unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer func() { _ = unix.Close(root) }()
	at, err := open(root, path)
	if err != nil {
		return err
	}
	defer func() { _ = unix.Close(at) }()
	return unix.MoveMount(tree, "", at, "", unix.MOVE_MOUNT_F_EMPTY_PATH|unix.MOVE_MOUNT_T_EMPTY_PATH)
}

// narrow takes back parts of what is shown.
func narrow(o *Order) error {
	root, err := unix.Open("/", unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer func() { _ = unix.Close(root) }()
	again := func(path string, attr unix.MountAttr) error {
		fd, err := open(root, path)
		if err != nil {
			return err
		}
		defer func() { _ = unix.Close(fd) }()
		return attach(fd, path, &attr, unix.AT_RECURSIVE)
	}
	for _, path := range o.Held {
		if err := again(path, unix.MountAttr{}); err != nil {
			return fmt.Errorf("hold %s: %w", path, err)
		}
	}
	for _, path := range o.Fixed {
		if err := again(path, unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY}); err != nil {
			return fmt.Errorf("fix %s: %w", path, err)
		}
	}
	if len(o.Hidden) == 0 {
		return nil
	}
	return hide(root, o.Hidden)
}

// hide covers files and folders with empty ones that nobody may open.
func hide(root int, paths []string) error {
	const file, folder = "/.nothing", "/.nowhere"
	if err := os.WriteFile(file, nil, 0o000); err != nil {
		return err
	}
	if err := os.Mkdir(folder, 0o000); err != nil {
		return err
	}
	closed := unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY | unix.MOUNT_ATTR_NOSUID | unix.MOUNT_ATTR_NODEV | unix.MOUNT_ATTR_NOEXEC}
	for _, path := range paths {
		at, err := open(root, path)
		if err != nil {
			return err
		}
		var st unix.Stat_t
		err = unix.Fstat(at, &st)
		_ = unix.Close(at) // only a path
		if err != nil {
			return err
		}
		cover := file
		switch st.Mode & unix.S_IFMT {
		case unix.S_IFDIR:
			cover = folder
		case unix.S_IFLNK:
			continue // what it leads to is hidden where it is, or not there at all
		}
		src, err := open(root, cover)
		if err != nil {
			return err
		}
		err = attach(src, path, &closed, 0)
		_ = unix.Close(src) // only a path
		if err != nil {
			return fmt.Errorf("hide %s: %w", path, err)
		}
	}
	return errors.Join(os.Remove(file), os.Remove(folder)) // the covers stay
}

// alone makes the rest of the new namespaces usable.
func alone(o *Order) error {
	if err := unix.Sethostname([]byte("sandbox")); err != nil {
		return fmt.Errorf("name the host: %w", err)
	}
	if o.Network {
		return nil
	}
	s, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("open the loopback: %w", err)
	}
	defer func() { _ = unix.Close(s) }()
	ifr, err := unix.NewIfreq("lo")
	if err != nil {
		return err
	}
	ifr.SetUint16(unix.IFF_UP | unix.IFF_RUNNING)
	if err := unix.IoctlIfreq(s, unix.SIOCSIFFLAGS, ifr); err != nil {
		return fmt.Errorf("open the loopback: %w", err)
	}
	return nil
}
