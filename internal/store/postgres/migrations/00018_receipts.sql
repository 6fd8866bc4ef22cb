-- +goose Up
-- By which ids a platform knows our parts, and when it said that a delivery was read.
CREATE TABLE channel_parts (
  channel     TEXT NOT NULL,
  chat        TEXT NOT NULL,
  platform_id TEXT NOT NULL,
  delivery    TEXT NOT NULL,
  part        BIGINT NOT NULL,
  PRIMARY KEY (channel, chat, platform_id)
);
ALTER TABLE channel_deliveries ADD COLUMN seen_at BIGINT NOT NULL DEFAULT 0;

-- +goose Down
ALTER TABLE channel_deliveries DROP COLUMN seen_at;
DROP TABLE channel_parts;
