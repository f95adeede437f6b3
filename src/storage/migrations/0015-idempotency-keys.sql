-- Works with servers from 0012 on.
-- What was answered to requests with an Idempotency-Key (§4.17): see docs/decisions/0045.

CREATE TABLE idempotency_keys (
  user_id uuid NOT NULL,
  key text NOT NULL,
  created_at timestamptz NOT NULL,
  -- SHA-256 of what was asked.
  digest bytea NOT NULL,
  -- What was answered.
  status integer NOT NULL,
  headers jsonb NOT NULL,
  body bytea NOT NULL,
  -- The body has a secret, and only who asked can read it (app/idempotency/seal.ts).
  is_sealed boolean NOT NULL,
  PRIMARY KEY (user_id, key)
);
-- Those that are forgotten next.
CREATE INDEX idempotency_keys_by_age ON idempotency_keys (created_at);
