-- +goose Up
-- Where a channel's adapter stood on its platform: no fact, and without it only what nobody heard is lost.
CREATE TABLE channel_marks (
  channel TEXT PRIMARY KEY,
  mark    TEXT NOT NULL
);

-- +goose Down
DROP TABLE channel_marks;
