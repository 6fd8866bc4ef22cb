-- +goose Up
-- How large persons have the letters of the page, in pixels.
CREATE TABLE org_letters (
  person TEXT PRIMARY KEY,
  size   INTEGER NOT NULL
);

-- +goose Down
DROP TABLE org_letters;
