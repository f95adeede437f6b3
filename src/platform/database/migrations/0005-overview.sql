-- What the overview and the lists' newer filters read. See docs/decisions/0014 for what each costs the writes.

-- The contract's price as an exact decimal: sums need not look into contracts, and an index can hold it.
ALTER TABLE claims ADD COLUMN price numeric GENERATED ALWAYS AS ((contract->>'price')::numeric) STORED;

-- What is not resolved, and what is, for reading without a look at the rows: an event that leaves an OPEN record OPEN
-- writes to neither. test_clock_id is null for what is live. The first is not "WHERE due_at IS NOT NULL": then the
-- planner might take it for the scheduled check, where it would have to sort.
CREATE INDEX claims_unresolved ON claims (user_id, test_clock_id, due_at)
  INCLUDE (scheduled_outcome, status_since, customer_id, id, price) WHERE status IN ('OPEN', 'PENDING');
CREATE INDEX claims_resolved ON claims (user_id, test_clock_id, status_since)
  INCLUDE (status, created_at, customer_id, id, price) WHERE status IN ('CONFIRMED', 'FAILED');

-- Lists by schema and by test clock; whoever uses neither is in none of them.
CREATE INDEX claims_by_schema ON claims (user_id, schema_id, position)
  WHERE candidate_alias IS NULL AND schema_id IS NOT NULL;
CREATE INDEX candidates_by_schema ON claims (user_id, schema_id, position)
  WHERE candidate_alias IS NOT NULL AND schema_id IS NOT NULL;
CREATE INDEX claims_by_test_clock ON claims (user_id, test_clock_id, position)
  WHERE candidate_alias IS NULL AND test_clock_id IS NOT NULL;
CREATE INDEX candidates_by_test_clock ON claims (user_id, test_clock_id, position)
  WHERE candidate_alias IS NOT NULL AND test_clock_id IS NOT NULL;

-- Aliases by their beginning, whatever the database's collation; `position` so that many can be put in the list's
-- order without a look at their rows.
CREATE INDEX candidates_by_alias ON claims (user_id, candidate_alias COLLATE "C") INCLUDE (position)
  WHERE candidate_alias IS NOT NULL;

-- What the live claims and candidates came to that were resolved up to `resolution_mark`, by quarters of an hour: every
-- time zone's days are made of them. See storage/resolution-totals.ts.
CREATE TABLE resolution_totals (
  user_id uuid NOT NULL,
  quarter timestamptz NOT NULL,
  status text NOT NULL,
  count bigint NOT NULL,
  amount numeric NOT NULL,
  PRIMARY KEY (user_id, quarter, status)
);

-- How long they took, from creation to resolution: in classes each of which ends a 32nd of an octave (2 %) above the
-- one before, where there are too many for the median of each single one.
CREATE TABLE resolution_durations (
  user_id uuid NOT NULL,
  hour timestamptz NOT NULL,
  class smallint NOT NULL,
  count bigint NOT NULL,
  PRIMARY KEY (user_id, hour, class)
);

-- One row. An hour ago: a server of an older version, which does not know of it, may still finish its check.
CREATE TABLE resolution_mark (up_to timestamptz NOT NULL);
INSERT INTO resolution_mark SELECT date_trunc('milliseconds', now()) - interval '1 hour';

-- Of a duration; those below one millisecond count as one.
CREATE FUNCTION duration_class(duration interval) RETURNS smallint LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN floor(ln(greatest(date_part('epoch', duration) * 1000, 1)) / ln(2::float8) * 32)::smallint;

INSERT INTO resolution_totals (user_id, quarter, status, count, amount)
SELECT user_id, date_bin('15 minutes', status_since, '2000-01-01Z'), status, count(*), coalesce(sum(price), 0)
FROM claims, resolution_mark WHERE due_at IS NULL AND test_clock_id IS NULL AND status_since <= up_to GROUP BY 1, 2, 3;

INSERT INTO resolution_durations (user_id, hour, class, count)
SELECT user_id, date_bin('1 hour', status_since, '2000-01-01Z'), duration_class(status_since - created_at), count(*)
FROM claims, resolution_mark WHERE due_at IS NULL AND test_clock_id IS NULL AND status_since <= up_to GROUP BY 1, 2, 3;
