-- Every transition writes to every index that a claim is in. Entries that hold their key alone are half as large, and
-- PostgreSQL stores those of one key together: all that a check resolved, say. The rows have the rest. See
-- docs/decisions/0014.
DROP INDEX claims_unresolved, claims_resolved;
CREATE INDEX claims_unresolved ON claims (user_id, due_at)
  WHERE status IN ('OPEN', 'PENDING') AND test_clock_id IS NULL;
CREATE INDEX claims_resolved ON claims (user_id, status_since)
  WHERE status IN ('CONFIRMED', 'FAILED') AND test_clock_id IS NULL;
