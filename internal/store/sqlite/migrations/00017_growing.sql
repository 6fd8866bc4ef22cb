-- +goose Up
-- What was sent of a text before it was whole, and whether another text has come since.
CREATE TABLE channel_drafts (
  run_id  TEXT NOT NULL,
  number  INTEGER NOT NULL,
  channel TEXT NOT NULL,
  chat    TEXT NOT NULL,
  branch  TEXT NOT NULL,
  sent    TEXT NOT NULL,
  used    INTEGER NOT NULL,
  PRIMARY KEY (run_id, number)
);

-- +goose Down
DROP TABLE channel_drafts;
