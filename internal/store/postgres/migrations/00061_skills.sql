-- +goose Up
-- Skills that were installed, with their files, and what was set of skills.
CREATE TABLE skills (
  name      TEXT PRIMARY KEY,
  installed TEXT NOT NULL,
  settings  TEXT NOT NULL,
  seq       BIGINT NOT NULL
);

-- +goose Down
DROP TABLE skills;
