package files

import (
	"context"
	"os"
	"path/filepath"

	"chela/internal/disk"
	"chela/internal/editor"
	"chela/internal/fault"
	"chela/internal/tool"
)

// served is how Chela's MCP server is started: by the program that runs here.
func served() ([]string, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, fault.Wrap(err, fault.Unavailable, "It is not known where Chela's program lies.")
	}
	return []string{program, "mcp", "serve"}, nil
}

// configure has an editor start Chela's MCP server, or not any more.
func configure(_ context.Context, c tool.Call, in configureIn) (writeOut, error) {
	ch, err := in.change(c.Folders)
	if err != nil {
		return writeOut{}, err
	}
	defer ch.close()
	return writeOut{ch.path, len(ch.next), ch.fresh}, ch.write(c.Changes)
}

// Preview implements [tool.Previewer].
func (in configureIn) Preview(_ context.Context, c tool.Call) (string, error) {
	return preview(in.change(c.Folders))
}

type configureIn struct {
	Editor string `json:"editor" enum:"cursor,vscode,claude,zed,neovim"`
	Folder string `json:"folder,omitempty" doc:"of the project; the working folder when left out"`
	Remove bool   `json:"remove,omitempty" doc:"take Chela out of the editor's servers"`
}

// file is the editor's file in the folder.
func (in configureIn) file(f disk.Folders) (editor.Kind, string, error) {
	k, err := editor.Find(editor.Kinds(), in.Editor)
	if err != nil {
		return k, "", err
	}
	name, err := k.Project()
	return k, filepath.Join(f.Resolve(in.Folder), name), err
}

// Act implements [tool.Actor].
func (in configureIn) Act(f disk.Folders) tool.Act {
	_, path, err := in.file(f)
	if err != nil {
		return tool.Act{} // the call says why
	}
	return tool.Act{Paths: []disk.Use{{Path: path, Write: true}}, Shown: "Have " + in.Editor + " start Chela's MCP server, by " + path}
}

func (in configureIn) change(f disk.Folders) (change, error) {
	k, path, err := in.file(f)
	if err != nil {
		return change{}, err
	}
	command, err := served()
	if err != nil {
		return change{}, err
	}
	c, err := before(f, path)
	if err != nil {
		return c, err
	}
	var next []byte
	if in.Remove {
		next, err = k.Remove([]byte(c.old))
	} else {
		next, err = k.Set([]byte(c.old), command)
	}
	if err != nil {
		c.close()
		return c, err
	}
	c.next = string(next)
	return c, nil
}
