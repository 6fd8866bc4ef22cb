-- +goose Up
CREATE TABLE allowances (
  id   TEXT PRIMARY KEY,
  body TEXT NOT NULL,
  seq  INTEGER NOT NULL
);

-- +goose Down
DROP TABLE allowances;
