-- +goose Up
-- Files of drafts and versions, which the agents of instances may read: texts by their paths, in JSON.
ALTER TABLE workflow_drafts ADD COLUMN files TEXT NOT NULL DEFAULT '';
ALTER TABLE workflow_versions ADD COLUMN files TEXT NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE workflow_versions DROP COLUMN files;
ALTER TABLE workflow_drafts DROP COLUMN files;
