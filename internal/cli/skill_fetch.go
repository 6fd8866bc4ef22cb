package cli

import (
	"archive/tar"
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"chela/internal/fault"
	"chela/internal/gateway/client"
	"chela/internal/pattern"
	"chela/internal/skill"
	"chela/internal/tool"
	"chela/internal/zipfile"
)

// fetchSkill brings a skill from a folder, an archive or a repository as a zip. The person's own machine fetches it, with the
// person's own rights; the daemon asks no address.
func (a *app) fetchSkill(ctx context.Context, source, ref, path string) (client.SkillArchive, error) {
	if repository.MatchString(source) {
		return cloneSkill(ctx, source, ref, path)
	}
	if ref != "" || path != "" {
		return client.SkillArchive{}, fault.New(fault.Invalid, "--ref and --path are for a repository; %s is none. Its address begins with https://, ssh:// or file://.", source)
	}
	info, err := os.Stat(source)
	if err != nil {
		return client.SkillArchive{}, fault.Wrap(err, fault.NotFound, "The folder or archive %s cannot be read.", source)
	}
	if info.IsDir() {
		return skillFolder(source, skill.Source{Kind: "folder", Path: filepath.Base(source)})
	}
	raw, err := readBounded(source, skill.MaxParcel)
	if err != nil {
		return client.SkillArchive{}, err
	}
	if bytes.HasPrefix(raw, []byte{0x1f, 0x8b}) {
		if raw, err = untar(raw); err != nil {
			return client.SkillArchive{}, err
		}
	}
	return client.SkillArchive{Archive: raw, Source: skill.Source{Kind: "archive", Path: filepath.Base(source)}}, nil
}

var repository = pattern.New(`^(https|ssh|file)://|^git@[^/]+:`)

func readBounded(path string, most int) ([]byte, error) {
	f, err := os.Open(filepath.Clean(path))
	if err != nil {
		return nil, fault.Wrap(err, fault.Invalid, "The file %s cannot be read.", path)
	}
	defer func() { _ = f.Close() }() // read only
	raw, err := io.ReadAll(io.LimitReader(f, int64(most)+1))
	if err != nil {
		return nil, fault.Wrap(err, fault.Invalid, "The file %s cannot be read.", path)
	}
	if len(raw) > most {
		return nil, fault.New(fault.TooLarge, "The file %s has more than %d bytes, the limit.", path, most)
	}
	return raw, nil
}

// skillFolder packs a folder. The folder's name is kept: a skill is called as its folder.
func skillFolder(dir string, from skill.Source) (client.SkillArchive, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return client.SkillArchive{}, fault.Wrap(err, fault.Invalid, "The folder %s cannot be read.", dir)
	}
	s, err := skill.ReadFolder(os.DirFS(abs), filepath.Base(abs))
	if err != nil {
		return client.SkillArchive{}, err
	}
	files := make(map[string][]byte)
	for name, body := range s.Parcel() {
		files[s.Name+"/"+name] = body
	}
	raw, err := zipfile.Write(files)
	return client.SkillArchive{Archive: raw, Source: from}, err
}

// untar makes a zip of a packed tar file, within the same limits.
func untar(raw []byte) ([]byte, error) {
	z, err := gzip.NewReader(bytes.NewReader(raw))
	if err != nil {
		return nil, fault.Wrap(err, fault.Invalid, "The archive is damaged.")
	}
	r := tar.NewReader(io.LimitReader(z, 4*skill.MaxBytes))
	files, seen := make(map[string][]byte), make(map[string]bool)
	for {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return zipfile.Write(files)
		}
		if err != nil {
			return nil, fault.Wrap(err, fault.Invalid, "The archive is damaged, or unpacks to more than %d bytes.", 4*skill.MaxBytes)
		}
		switch h.Typeflag {
		case tar.TypeDir, tar.TypeXGlobalHeader:
			continue
		case tar.TypeReg:
		default:
			return nil, fault.New(fault.Invalid, "The archive holds %q, which is a link or no plain file.", h.Name)
		}
		name := strings.TrimPrefix(h.Name, "./")
		if err := zipfile.Safe(name, 0, seen, "archive"); err != nil {
			return nil, err
		}
		if len(files) >= 4*skill.MaxFiles {
			return nil, fault.New(fault.TooLarge, "The archive holds more than %d files.", 4*skill.MaxFiles)
		}
		body, err := io.ReadAll(io.LimitReader(r, skill.MaxFile+1))
		if err != nil || len(body) > skill.MaxFile {
			return nil, fault.Wrap(err, fault.TooLarge, "The file %q of the archive is damaged or has more than %d bytes.", h.Name, skill.MaxFile)
		}
		files[name] = body
	}
}

// cloneSkill fetches one commit of a repository without running anything of it, and packs the skill's folder.
func cloneSkill(ctx context.Context, address, ref, path string) (client.SkillArchive, error) {
	dir, err := os.MkdirTemp("", "chela-skill-*")
	if err != nil {
		return client.SkillArchive{}, fault.Wrap(err, fault.Unavailable, "A folder for the repository cannot be made.")
	}
	defer func() { _ = os.RemoveAll(dir) }() // a copy
	at := filepath.Join(dir, "repository")
	args := []string{"clone", "--quiet", "--depth", "1", "--no-tags", "--single-branch", "--template="}
	if ref != "" {
		args = append(args, "--branch="+ref)
	}
	if _, err := quietGit(ctx, dir, append(args, "--", address, at)...); err != nil {
		return client.SkillArchive{}, err
	}
	commit, err := quietGit(ctx, at, "rev-parse", "HEAD")
	if err != nil {
		return client.SkillArchive{}, err
	}
	within := strings.Trim(filepath.ToSlash(filepath.Clean("/"+path)), "/")
	root, err := os.OpenRoot(at) // no link leads out of it
	if err != nil {
		return client.SkillArchive{}, fault.Wrap(err, fault.Unavailable, "The repository cannot be read.")
	}
	defer func() { _ = root.Close() }() // read only
	from := skill.Source{Kind: "git", URL: address, Ref: ref, Path: within, Commit: strings.TrimSpace(commit)}
	name := within
	if within == "" {
		name = strings.TrimSuffix(filepath.Base(strings.TrimRight(address, "/")), ".git")
	}
	folder, err := root.OpenRoot(cmp.Or(within, "."))
	if err != nil {
		return client.SkillArchive{}, fault.Wrap(err, fault.NotFound, "The repository has no folder %q.", within)
	}
	defer func() { _ = folder.Close() }() // read only
	s, err := skill.ReadFolder(folder.FS(), filepath.Base(name))
	if err != nil {
		return client.SkillArchive{}, err
	}
	files := make(map[string][]byte)
	for file, body := range s.Parcel() {
		if within != "" {
			file = within + "/" + file
		}
		files[file] = body
	}
	raw, err := zipfile.Write(files)
	return client.SkillArchive{Archive: raw, Source: from}, err
}

// quietGit runs Git without the settings, hooks and filters of anybody.
func quietGit(ctx context.Context, dir string, args ...string) (string, error) {
	c := exec.CommandContext(ctx, "git", args...) //nolint:gosec // the person's own program
	c.Dir = dir
	c.Env = append(os.Environ(), "GIT_TERMINAL_PROMPT=0", "GIT_ALLOW_PROTOCOL=https:ssh:file", "GIT_LFS_SKIP_SMUDGE=1")
	for name, value := range tool.GitEnv(tool.QuietGit()) {
		c.Env = append(c.Env, name+"="+value)
	}
	var out, wrong bytes.Buffer
	c.Stdout, c.Stderr = &out, &wrong
	if err := c.Run(); err != nil {
		if errors.Is(err, exec.ErrNotFound) {
			return "", fault.Wrap(err, fault.Unavailable, "Git is not installed here. Fetch the repository yourself and name its folder.")
		}
		last := strings.TrimSpace(wrong.String())
		if i := strings.LastIndexByte(last, '\n'); i >= 0 {
			last = last[i+1:]
		}
		return "", fault.Wrap(err, fault.Unavailable, "The repository cannot be fetched: %s", last)
	}
	return out.String(), nil
}
