-- +goose Up
CREATE TABLE allowances (
  id   TEXT PRIMARY KEY,
  body TEXT NOT NULL,
  seq  BIGINT NOT NULL
);

-- +goose Down
DROP TABLE allowances;
