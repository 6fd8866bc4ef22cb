-- +goose Up
CREATE TABLE vault (
  name  TEXT PRIMARY KEY,
  value TEXT NOT NULL
);

-- +goose Down
DROP TABLE vault;
