-- What happened to claims and test clocks, for whoever follows it (§4.13). Readers go by the numbers; how they know which
-- ones may still come: docs/decisions/0034.
CREATE SEQUENCE notification_numbers;
-- The last value of a sequence counts as taken from the first call on.
SELECT nextval('notification_numbers');

CREATE TABLE notifications (
  number bigint NOT NULL,
  user_id uuid NOT NULL,
  -- The claim, candidate or test clock.
  subject_id uuid NOT NULL,
  kind text NOT NULL,
  -- Of the log's item that it tells of; 0 for a creation.
  sequence integer NOT NULL,
  -- As the claim was then; of a clock its time.
  status_since timestamptz NOT NULL,
  due_at timestamptz,
  scheduled_outcome text,
  -- In real time, also of what lives by a test clock.
  created_at timestamptz NOT NULL,
  PRIMARY KEY (subject_id, number),
  CONSTRAINT kind_is_known CHECK (kind IN ('created', 'pending', 'confirmed', 'failed', 'advanced'))
);
CREATE INDEX notifications_feed ON notifications (user_id, number);

-- Up to where each account's feed was removed: whoever stands before that has missed something.
CREATE TABLE notification_removals (
  user_id uuid PRIMARY KEY,
  number bigint NOT NULL
);

-- Where the claims are distributed already.
DO $$
  BEGIN
    IF EXISTS (SELECT FROM pg_extension WHERE extname = 'citus') THEN
      IF EXISTS (SELECT FROM pg_dist_partition WHERE logicalrelid = 'claims'::regclass) THEN
        PERFORM create_distributed_table('notifications', 'subject_id', colocate_with => 'claims');
      END IF;
    END IF;
  END
$$;
