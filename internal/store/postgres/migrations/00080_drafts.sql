-- +goose Up
-- Drafts of workflows: the text that people edit together, and the edits that made it.
CREATE TABLE workflow_drafts (
  slug        TEXT PRIMARY KEY,
  revision    INTEGER NOT NULL,
  version     INTEGER NOT NULL, -- that it began from, or was saved as last
  clean       INTEGER NOT NULL, -- the text is that of the version
  gone        INTEGER NOT NULL, -- it was discarded
  source      TEXT NOT NULL,
  layout      TEXT NOT NULL, -- where nodes stand, in JSON
  edited_by   TEXT NOT NULL,
  edited_role TEXT NOT NULL,
  at          BIGINT NOT NULL
);
CREATE TABLE workflow_edits (
  slug        TEXT NOT NULL,
  revision    INTEGER NOT NULL,
  edited_by   TEXT NOT NULL,
  edited_role TEXT NOT NULL,
  body        TEXT NOT NULL, -- the edit
  at          BIGINT NOT NULL,
  PRIMARY KEY (slug, revision)
);
ALTER TABLE workflow_versions ADD COLUMN layout TEXT NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE workflow_versions DROP COLUMN layout;
DROP TABLE workflow_edits;
DROP TABLE workflow_drafts;
