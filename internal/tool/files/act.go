package files

import (
	"fmt"

	"chela/internal/disk"
	"chela/internal/tool"
)

// Paths are absolute, or relative to where the agent works.
type (
	readIn struct {
		Path   string `json:"path" doc:"relative to the working folder, or absolute"`
		Offset int    `json:"offset,omitempty" doc:"first line to return, from 1"`
		Limit  int    `json:"limit,omitempty" doc:"lines to return; all when left out"`
	}
	listIn struct {
		Path string `json:"path,omitempty" doc:"the working folder when left out"`
	}
	searchIn struct {
		Pattern    string `json:"pattern,omitempty" doc:"glob over paths, such as **/*.go; all files when left out"`
		Text       string `json:"text,omitempty" doc:"regular expression (RE2) that a line has to match; the matching lines are returned"`
		Path       string `json:"path,omitempty" doc:"folder to search; the working folder when left out"`
		IgnoreCase bool   `json:"ignore_case,omitempty"`
		MaxResults int    `json:"max_results,omitempty" doc:"at most 1,000; 100 when left out"`
	}
	writeIn struct {
		Path    string  `json:"path"`
		Content *string `json:"content"`
		Append  bool    `json:"append,omitempty" doc:"add to the end instead of replacing"`
	}
	editIn struct {
		Path       string  `json:"path"`
		OldText    string  `json:"old_text" doc:"exactly as it stands in the file"`
		NewText    *string `json:"new_text"`
		ReplaceAll bool    `json:"replace_all,omitempty" doc:"replace every occurrence; otherwise there must be exactly one"`
	}
	patchIn struct {
		Input      string `json:"input" doc:"the patch, from *** Begin Patch to *** End Patch"`
		WorkingDir string `json:"working_dir,omitempty" doc:"where the patch's paths begin; the working folder when left out"`
	}
)

func reads(f disk.Folders, path, shown string) tool.Act {
	return tool.Act{Paths: []disk.Use{{Path: f.Resolve(path)}}, Shown: shown}
}

// Act implements [tool.Actor].
func (in readIn) Act(f disk.Folders) tool.Act {
	return reads(f, in.Path, "Read "+f.Resolve(in.Path))
}

// Act implements [tool.Actor].
func (in listIn) Act(f disk.Folders) tool.Act {
	return reads(f, in.Path, "List "+f.Resolve(in.Path))
}

// Act implements [tool.Actor].
func (in searchIn) Act(f disk.Folders) tool.Act {
	return reads(f, in.Path, fmt.Sprintf("Search %s for %s %s", f.Resolve(in.Path), in.Pattern, in.Text))
}

// Act implements [tool.Actor].
func (in writeIn) Act(f disk.Folders) tool.Act {
	path := f.Resolve(in.Path)
	return tool.Act{Paths: []disk.Use{{Path: path, Write: true}}, Shown: fmt.Sprintf("Write %d bytes to %s", len(*in.Content), path)}
}

// Act implements [tool.Actor].
func (in editIn) Act(f disk.Folders) tool.Act {
	path := f.Resolve(in.Path)
	return tool.Act{Paths: []disk.Use{{Path: path, Write: true}}, Shown: "Edit " + path}
}

// Act implements [tool.Actor]. A patch that cannot be read touches nothing, and fails.
func (in patchIn) Act(f disk.Folders) tool.Act {
	act := tool.Act{Dir: f.Resolve(in.WorkingDir), Shown: "Apply a patch in " + f.Resolve(in.WorkingDir)}
	changes, err := parsePatch(in.Input)
	if err != nil {
		return act
	}
	for _, c := range changes {
		for _, path := range []string{c.path, c.moveTo} {
			if path != "" {
				act.Paths = append(act.Paths, disk.Use{Path: in.resolve(f, path), Write: true})
			}
		}
	}
	return act
}
