-- Works with servers from 0012 on.
-- Contracts with more than five fields (§2.1a). All columns are null for claims of other contracts.

-- Items in the log when an event made the claim PENDING.
ALTER TABLE claims ADD COLUMN review_start integer;
-- The items of the log that a server has decided about which knows extended contracts. An older server does not set it,
-- so the constraint refuses what it decides about such a claim.
ALTER TABLE claims ADD COLUMN decided_count integer;
ALTER TABLE claims ADD CONSTRAINT extended_contract_is_known
  CHECK (decided_count IS NULL OR decided_count = event_count) NOT VALID;

-- The clock of an OPEN claim that events can stop: the milliseconds of the activity window that were left at a time, since
-- which it has been running (due_at is set) or stopped (due_at is null).
ALTER TABLE claims ADD COLUMN remaining_ms bigint;
ALTER TABLE claims ADD COLUMN clock_since timestamptz;
ALTER TABLE claims DROP CONSTRAINT due_but_in_a_terminal_state;
ALTER TABLE claims ADD CONSTRAINT due_but_in_a_terminal_state_or_stopped
  CHECK ((status IN ('OPEN', 'PENDING')) = (due_at IS NOT NULL) OR (status = 'OPEN' AND clock_since IS NOT NULL)) NOT VALID;

-- Milliseconds from the end of the window to the event, if it was late.
ALTER TABLE claim_events ADD COLUMN late_ms bigint;

ALTER TABLE notifications DROP CONSTRAINT kind_is_known;
ALTER TABLE notifications ADD CONSTRAINT kind_is_known
  CHECK (kind IN ('created', 'pending', 'confirmed', 'failed', 'outcome_changed', 'recorded', 'advanced', 'failing', 'gone'))
  NOT VALID;
