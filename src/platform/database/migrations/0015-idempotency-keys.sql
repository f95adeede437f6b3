-- Works with servers from 0012 on.
-- What was answered to requests with an Idempotency-Key (§4.17): see docs/decisions/0045.

CREATE TABLE idempotency_keys (
  user_id uuid NOT NULL,
  key text NOT NULL,
  created_at timestamptz NOT NULL,
  -- SHA-256 of what was asked.
  digest bytea NOT NULL,
  -- Of creations of claims and candidates, whose ids are made of it; null for all else, which has an answer.
  seed uuid,
  status integer,
  headers jsonb,
  body bytea,
  -- The body has a secret, and only who asked can read it (app/idempotency/seal.ts).
  is_sealed boolean NOT NULL DEFAULT false,
  PRIMARY KEY (user_id, key)
);
-- Those that are forgotten next.
CREATE INDEX idempotency_keys_by_age ON idempotency_keys (created_at);
