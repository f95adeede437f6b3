-- Servers hold tokens in memory. Whatever ends or changes one is told to all of them, also where it is done by
-- hand; the number lets who ends a token know when every server has heard of it (storage/revocations.ts).
CREATE SEQUENCE token_revocations AS integer CYCLE;

CREATE FUNCTION tell_of_revocation() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  -- Until the commit: revocations are numbered in the order in which they are told.
  PERFORM pg_advisory_xact_lock(1129011300, 0);
  PERFORM pg_notify('claimkeeper_revocations',
    nextval('token_revocations') || ' ' || encode(OLD.token_hash, 'hex'));
  RETURN NULL;
END
$$;

CREATE TRIGGER token_revoked
  AFTER DELETE OR UPDATE OF user_id, token_hash, expires_at, revoked_at ON api_tokens
  FOR EACH ROW EXECUTE FUNCTION tell_of_revocation();

-- Every transition writes to every index that a claim is in. So there is one for an account's lists and one for
-- those of a customer; a list of all statuses is put together of the four (storage/claims.ts).
CREATE INDEX claims_by_customer_and_status ON claims (user_id, customer_id, status, position)
  WHERE candidate_alias IS NULL;
CREATE INDEX candidates_by_customer_and_status ON claims (user_id, customer_id, status, position)
  WHERE candidate_alias IS NOT NULL;
DROP INDEX claims_listing, claims_by_customer, candidates_listing, candidates_by_customer;
