package story

import (
	"context"
	"net/http"

	"chela/internal/fault"
	"chela/internal/gateway/client"
	"chela/internal/skill"
	"chela/internal/zipfile"
)

// A Skill is one that somebody installs, as a folder of files.
type Skill struct {
	Day   int               `json:"day"`
	By    string            `json:"by"`
	Name  string            `json:"name"`
	Files map[string]string `json:"files"`
}

// install installs what was reviewed.
func (k Skill) install(ctx context.Context, t *teller) error {
	files := make(map[string][]byte, len(k.Files))
	for name, text := range k.Files {
		files[k.Name+"/"+name] = []byte(text)
	}
	archive, err := zipfile.Write(files)
	if err != nil {
		return err
	}
	body := client.SkillArchive{Archive: archive, Source: skill.Source{Kind: "folder", Path: k.Name}}
	var review skill.Review
	if err := t.call(ctx, k.By, http.MethodPost, "/api/skills/review", body, &review); err != nil {
		return err
	}
	if review.Refused != "" {
		return fault.New(fault.Invalid, "The story's skill %s is refused: %s", k.Name, review.Refused)
	}
	body.Digest = &review.Digest
	return t.call(ctx, k.By, http.MethodPost, "/api/skills", body, nil)
}
