-- Works with servers from 0012 on.
-- In the background.
CREATE INDEX CONCURRENTLY claims_by_reminder ON claims (next_reminder_at, id)
  WHERE next_reminder_at IS NOT NULL AND status = 'OPEN' AND due_at IS NOT NULL AND test_clock_id IS NULL;
CREATE INDEX CONCURRENTLY claims_by_reminder_on_test_clock ON claims (test_clock_id, next_reminder_at, id)
  WHERE next_reminder_at IS NOT NULL AND status = 'OPEN' AND due_at IS NOT NULL AND test_clock_id IS NOT NULL;
