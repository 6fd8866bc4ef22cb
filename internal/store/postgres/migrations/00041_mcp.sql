-- +goose Up
-- Servers of others whose tools agents use, what they were seen to offer, and what of it is accepted.
CREATE TABLE mcp_servers (
  name        TEXT PRIMARY KEY,
  body        TEXT NOT NULL,
  seen        TEXT NOT NULL,
  seen_digest TEXT NOT NULL,
  accepted    TEXT NOT NULL,
  seq         BIGINT NOT NULL
);

-- +goose Down
DROP TABLE mcp_servers;
