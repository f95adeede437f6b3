-- Works with servers from 0012 on.
-- Where records stood in their lists that were deleted with a test clock: as cursors they stay good for some days (§4).

CREATE TABLE deleted_positions (
  user_id uuid NOT NULL,
  list text NOT NULL CHECK (list IN ('claim', 'candidate', 'test_clock')),
  id uuid NOT NULL,
  position bigint NOT NULL,
  deleted_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (user_id, list, id)
);
-- Those that are forgotten next.
CREATE INDEX deleted_positions_by_age ON deleted_positions (deleted_at);
