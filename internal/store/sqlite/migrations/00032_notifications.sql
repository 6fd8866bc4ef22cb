-- +goose Up
CREATE TABLE notifications (
  id       TEXT PRIMARY KEY,
  person   TEXT NOT NULL,
  approval TEXT NOT NULL,
  body     TEXT NOT NULL,
  seq      INTEGER NOT NULL,
  at       INTEGER NOT NULL,
  read_at  INTEGER NOT NULL,
  done_at  INTEGER NOT NULL,
  chat_at  INTEGER NOT NULL -- when it goes to a chat; 0 when it does not, or went
);
CREATE INDEX notifications_person ON notifications (person, done_at, seq);
CREATE INDEX notifications_chat ON notifications (chat_at) WHERE chat_at > 0;
CREATE INDEX notifications_approval ON notifications (approval) WHERE approval <> '' AND done_at = 0;
CREATE TABLE notification_preferences (
  person TEXT PRIMARY KEY,
  body   TEXT NOT NULL
);

-- +goose Down
DROP TABLE notification_preferences;
DROP TABLE notifications;
