package git

import (
	"strings"

	"chela/internal/disk"
	"chela/internal/tool"
)

// repo says which repository is meant.
type repo struct {
	WorkingDir string `json:"working_dir,omitempty" doc:"a folder of the repository; the working folder when left out"`
}

type (
	statusIn struct{ repo }
	diffIn   struct {
		repo
		Path   string `json:"path,omitempty" doc:"only of this file or folder"`
		Staged bool   `json:"staged,omitempty" doc:"what is staged, instead of what is not"`
		Stat   bool   `json:"stat,omitempty" doc:"only which files, and how much"`
	}
	logIn struct {
		repo
		Count  int    `json:"count,omitempty" doc:"at most 500; 20 when left out"`
		Author string `json:"author,omitempty"`
		Path   string `json:"path,omitempty"`
	}
	blameIn struct {
		repo
		File      string `json:"file"`
		StartLine int    `json:"start_line,omitempty"`
		EndLine   int    `json:"end_line,omitempty"`
	}
	commitIn struct {
		repo
		Message string   `json:"message"`
		Paths   []string `json:"paths,omitempty" doc:"only these files and folders; all that changed when left out, also what others changed"`
	}
	branchIn struct {
		repo
		Action string `json:"action" enum:"list,create,switch,delete"`
		Name   string `json:"name,omitempty" doc:"of the branch; not for list"`
	}
	stashIn struct {
		repo
		Action  string `json:"action" enum:"save,pop,list,drop"`
		Message string `json:"message,omitempty" doc:"for save"`
		Index   int    `json:"index,omitempty" doc:"for pop and drop: 0 is the newest"`
	}
)

func (r repo) act(f disk.Folders, write bool, shown string) tool.Act {
	dir := f.Resolve(r.WorkingDir)
	a := tool.Act{Dir: dir, Paths: []disk.Use{{Path: dir, Write: write}}, Shown: shown + " in " + dir}
	if !write {
		a.Risk = tool.ReadOnly
	}
	return a
}

func (r repo) file(f disk.Folders, path, shown string) tool.Act {
	a := r.act(f, false, shown)
	if path != "" {
		a.Paths = append(a.Paths, disk.Use{Path: f.Resolve(path)})
	}
	return a
}

// Act implements [tool.Actor].
func (in statusIn) Act(f disk.Folders) tool.Act { return in.act(f, false, "git status") }

// Act implements [tool.Actor].
func (in diffIn) Act(f disk.Folders) tool.Act { return in.file(f, in.Path, "git diff "+in.Path) }

// Act implements [tool.Actor].
func (in logIn) Act(f disk.Folders) tool.Act { return in.file(f, in.Path, "git log "+in.Path) }

// Act implements [tool.Actor].
func (in blameIn) Act(f disk.Folders) tool.Act { return in.file(f, in.File, "git blame "+in.File) }

// Act implements [tool.Actor].
func (in commitIn) Act(f disk.Folders) tool.Act {
	what := "all changes"
	if len(in.Paths) > 0 {
		what = "the changes of " + strings.Join(in.Paths, ", ")
	}
	a := in.act(f, true, "Stage "+what+" and commit: "+in.Message)
	for _, p := range in.Paths {
		a.Paths = append(a.Paths, disk.Use{Path: f.Resolve(p)})
	}
	return a
}

// Act implements [tool.Actor].
func (in branchIn) Act(f disk.Folders) tool.Act {
	return in.act(f, in.Action != "list", "git branch: "+in.Action+" "+in.Name)
}

// Act implements [tool.Actor].
func (in stashIn) Act(f disk.Folders) tool.Act {
	return in.act(f, in.Action != "list", "git stash: "+in.Action+" "+in.Message)
}
