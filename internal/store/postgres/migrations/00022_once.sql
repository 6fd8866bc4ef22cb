-- +goose Up
-- A row of the log holds each thing once: extra is what an envelope has beside the columns, hashes are bytes.
-- An envelope with the character NUL, which jsonb cannot hold, is left as it is.
ALTER TABLE log_events RENAME COLUMN envelope TO extra;
ALTER TABLE log_events
  ALTER COLUMN extra TYPE TEXT USING CASE WHEN extra LIKE '%\\u0000%' THEN extra ELSE ((extra::jsonb
    - '{v,id,type,domain,payload_type,thread_id,run_id,task_id,parent_task_id,idempotency_key,payload}'::TEXT[]) #- '{from,agent_id}')::TEXT END,
  ALTER COLUMN payload_digest TYPE BYTEA USING decode(payload_digest, 'hex'),
  ALTER COLUMN prev_hash TYPE BYTEA USING decode(prev_hash, 'hex'),
  ALTER COLUMN hash TYPE BYTEA USING decode(hash, 'hex');

-- +goose Down
-- An envelope with the character NUL keeps the fields that came after the first of their name.
ALTER TABLE log_events RENAME COLUMN extra TO envelope;
ALTER TABLE log_events
  ALTER COLUMN envelope TYPE TEXT USING '{"v":"clutch/0.1","to":[]' || ',"id":' || to_json(id) || ',"type":' || to_json(type)
    || CASE WHEN domain <> '' THEN ',"domain":' || to_json(domain) ELSE '' END
    || CASE WHEN payload_type <> '' THEN ',"payload_type":' || to_json(payload_type) ELSE '' END
    || ',"thread_id":' || to_json(thread_id) || ',"run_id":' || to_json(run_id) || ',"task_id":' || to_json(task_id)
    || CASE WHEN parent_task_id <> '' THEN ',"parent_task_id":' || to_json(parent_task_id) ELSE '' END
    || CASE WHEN idempotency_key <> '' THEN ',"idempotency_key":' || to_json(idempotency_key) ELSE '' END
    || ',"payload":{"sha256":"' || encode(payload_digest, 'hex') || '"},"from":{"agent_id":' || to_json(actor) || '},' || substr(envelope, 2),
  ALTER COLUMN payload_digest TYPE TEXT USING encode(payload_digest, 'hex'),
  ALTER COLUMN prev_hash TYPE TEXT USING encode(prev_hash, 'hex'),
  ALTER COLUMN hash TYPE TEXT USING encode(hash, 'hex');
