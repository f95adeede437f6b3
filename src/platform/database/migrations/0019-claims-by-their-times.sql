-- Works with servers from 0012 on.
-- In the background.
CREATE INDEX CONCURRENTLY claims_by_creation ON claims (user_id, status, created_at, position)
  WHERE candidate_alias IS NULL AND test_clock_id IS NULL;
CREATE INDEX CONCURRENTLY candidates_by_creation ON claims (user_id, status, created_at, position)
  WHERE candidate_alias IS NOT NULL AND test_clock_id IS NULL;
CREATE INDEX CONCURRENTLY claims_in_review ON claims (user_id, status_since, position)
  WHERE status = 'PENDING' AND candidate_alias IS NULL AND test_clock_id IS NULL;
CREATE INDEX CONCURRENTLY candidates_in_review ON claims (user_id, status_since, position)
  WHERE status = 'PENDING' AND candidate_alias IS NOT NULL AND test_clock_id IS NULL;
