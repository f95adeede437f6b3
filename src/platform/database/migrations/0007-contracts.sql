-- Contracts by content: a million claims made from ten schemas hold ten of them. A contract never changes, so servers
-- may remember what they read of one. It belongs to no account: it is read only through a claim that has it.
CREATE TABLE contracts (
  -- SHA-256 of the document, in UTF-8: nobody can make two documents that share it.
  hash bytea PRIMARY KEY,
  -- As it was sent.
  document json NOT NULL,
  bytes integer NOT NULL,
  -- What decisions and checks need, so that they do not open the document: the event types that the condition names, and
  -- the terms of the scheduled check.
  event_types text[] NOT NULL,
  review_window float8 NOT NULL,
  timeout_outcome text NOT NULL,
  -- Since when no claim may be under it any more; null if one surely is. Whoever puts a claim under it sets it to null.
  unused_since timestamptz
);
CREATE INDEX contracts_unused ON contracts (unused_since) WHERE unused_since IS NOT NULL;

-- A claim made before this has its contract in its row, until it is moved in the background; then `contract` and
-- `decisive_event_types` are null. See docs/decisions/0030.
ALTER TABLE claims
  ADD COLUMN contract_hash bytea,
  ALTER COLUMN contract DROP NOT NULL,
  ALTER COLUMN decisive_event_types DROP NOT NULL,
  ALTER COLUMN price DROP EXPRESSION,
  ADD CONSTRAINT contract_is_in_one_place CHECK ((contract IS NULL) <> (contract_hash IS NULL)) NOT VALID,
  ADD CONSTRAINT price_is_known CHECK (price IS NOT NULL) NOT VALID;

-- A server of an older version leaves the price to the table.
CREATE FUNCTION price_of_contract() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.price := (NEW.contract->>'price')::numeric;
  RETURN NEW;
END
$$;

CREATE TRIGGER price_given
  BEFORE INSERT ON claims
  FOR EACH ROW WHEN (NEW.price IS NULL) EXECUTE FUNCTION price_of_contract();

-- How far the background has come, in the order of the claims' ids. One row.
CREATE TABLE contract_moves (
  after_id uuid NOT NULL,
  -- Claims that others held when their turn came. If there are any at the end, it goes over all of them again.
  missed bigint NOT NULL,
  moved bigint NOT NULL,
  is_done boolean NOT NULL
);
INSERT INTO contract_moves SELECT '00000000-0000-0000-0000-000000000000', 0, 0, NOT EXISTS (SELECT FROM claims);
