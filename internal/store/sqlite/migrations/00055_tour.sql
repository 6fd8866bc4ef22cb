-- +goose Up
-- Where each person stands in the page's tour.
CREATE TABLE org_tours (
  person TEXT PRIMARY KEY,
  step   INTEGER NOT NULL,
  ended  INTEGER NOT NULL
);

-- +goose Down
DROP TABLE org_tours;
