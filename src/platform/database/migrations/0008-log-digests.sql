-- What decisions about an OPEN claim need of its log, so that they need not read it: see src/domain/claims/log-digest.ts.
-- Null if there is none, or the claim takes no more events; derived, and right only if it is of as many events as the claim
-- has: a server of an older version leaves it as it was.
ALTER TABLE claims
  ADD COLUMN log_digest bytea,
  ADD COLUMN last_event_at timestamptz;
