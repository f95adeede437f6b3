-- Clocks that stand still until they are advanced: claims and candidates on one live by its time.

CREATE TABLE test_clocks (
  user_id uuid NOT NULL,
  id uuid NOT NULL,
  position bigint GENERATED ALWAYS AS IDENTITY,
  name text,
  frozen_time timestamptz NOT NULL,
  created_at timestamptz NOT NULL,
  PRIMARY KEY (user_id, id)
);
CREATE INDEX test_clocks_listing ON test_clocks (user_id, position);

-- What an advance and a deletion look for; live claims are not in it.
CREATE INDEX claims_on_test_clock ON claims (test_clock_id, due_at, id) WHERE test_clock_id IS NOT NULL;
