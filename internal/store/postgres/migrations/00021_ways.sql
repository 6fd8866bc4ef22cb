-- +goose Up
-- How a job comes to its worker; and what is asked at each end of a run, of few of the claims.
ALTER TABLE run_claims ADD COLUMN way TEXT NOT NULL DEFAULT 'queue' CHECK (way IN ('queue', 'direct', 'behind'));
CREATE INDEX run_claims_part ON run_claims (part);
CREATE INDEX run_claims_seat ON run_claims (seat) WHERE seat <> '';

-- The transaction's positions can be from the next one on: what is the last was recorded before it
-- began, and readers need not wait for it.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION log_reserve(streams TEXT[], keys INT[], n INT)
RETURNS TABLE (stream TEXT, head BIGINT, hash TEXT, seq BIGINT) LANGUAGE plpgsql VOLATILE AS $$
DECLARE k INT;
BEGIN
  FOREACH k IN ARRAY keys LOOP PERFORM pg_advisory_xact_lock(1, k); END LOOP;
  PERFORM pg_advisory_xact_lock_shared(CASE WHEN s.is_called THEN s.last_value + 1 ELSE s.last_value END) FROM log_seq s;
  RETURN QUERY SELECT s.stream, s.head, s.hash, NULL::BIGINT FROM log_streams s WHERE s.stream = ANY (streams);
  RETURN QUERY SELECT NULL::TEXT, NULL::BIGINT, NULL::TEXT, nextval('log_seq') FROM generate_series(1, n);
END $$;
-- +goose StatementEnd

-- +goose Down
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION log_reserve(streams TEXT[], keys INT[], n INT)
RETURNS TABLE (stream TEXT, head BIGINT, hash TEXT, seq BIGINT) LANGUAGE plpgsql VOLATILE AS $$
DECLARE k INT;
BEGIN
  FOREACH k IN ARRAY keys LOOP PERFORM pg_advisory_xact_lock(1, k); END LOOP;
  PERFORM pg_advisory_xact_lock_shared(s.last_value) FROM log_seq s;
  RETURN QUERY SELECT s.stream, s.head, s.hash, NULL::BIGINT FROM log_streams s WHERE s.stream = ANY (streams);
  RETURN QUERY SELECT NULL::TEXT, NULL::BIGINT, NULL::TEXT, nextval('log_seq') FROM generate_series(1, n);
END $$;
-- +goose StatementEnd
DROP INDEX run_claims_seat;
DROP INDEX run_claims_part;
ALTER TABLE run_claims DROP COLUMN way;
