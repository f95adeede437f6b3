-- Works with servers from 0012 on.
-- `reference` is the caller's own name for a claim (§2.3); the id of one that has it is made of it, so that it is unique in the
-- account. `seed` is of the Idempotency-Key with which a claim or candidate was created (§4.17).
ALTER TABLE claims ADD COLUMN reference text, ADD COLUMN seed uuid;
