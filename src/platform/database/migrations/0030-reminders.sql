-- Works with servers from 0012 on.
-- Fractions of the activity window at which callers want a notification (§2.16). All columns of claims are null for claims
-- without reminders.

-- Ascending, and when each is reached, computed when the window begins or continues.
ALTER TABLE claims ADD COLUMN reminders float8[];
ALTER TABLE claims ADD COLUMN reminder_times timestamptz[];
-- How many of them were sent, or overtaken by a later one or by the end of the window.
ALTER TABLE claims ADD COLUMN reminders_passed smallint;
-- The next of reminder_times; null after the last.
ALTER TABLE claims ADD COLUMN next_reminder_at timestamptz;

ALTER TABLE claim_schemas ADD COLUMN reminders float8[];

-- Which one was reached. Then status_since is the time of the check that found it: an OPEN claim has that status since its
-- creation.
ALTER TABLE notifications ADD COLUMN reminder float8;
ALTER TABLE notifications DROP CONSTRAINT kind_is_known;
ALTER TABLE notifications ADD CONSTRAINT kind_is_known
  CHECK (kind IN ('created', 'pending', 'confirmed', 'failed', 'outcome_changed', 'due_soon', 'recorded', 'advanced', 'failing', 'gone'))
  NOT VALID;
