-- Works with servers from 0012 on.
-- When work is done (§2.15). The row has the current version. Deleted calendars stay: claims need their versions.
CREATE TABLE calendars (
  user_id uuid NOT NULL,
  id uuid NOT NULL,
  position bigint GENERATED ALWAYS AS IDENTITY,
  version_number integer NOT NULL DEFAULT 1,
  name text NOT NULL,
  time_zone text NOT NULL,
  weekly jsonb NOT NULL,
  holidays jsonb NOT NULL,
  exceptions jsonb NOT NULL,
  created_at timestamptz NOT NULL,
  -- When the current version was made, and who made it: null if the token was deleted meanwhile.
  version_at timestamptz NOT NULL,
  version_by jsonb,
  deleted_at timestamptz,
  PRIMARY KEY (user_id, id)
);
CREATE INDEX calendars_listing ON calendars (user_id, position);

-- The versions before it. Both tables stay on one machine; they would be distributed alike.
CREATE TABLE calendar_versions (
  user_id uuid NOT NULL,
  calendar_id uuid NOT NULL,
  number integer NOT NULL,
  name text NOT NULL,
  time_zone text NOT NULL,
  weekly jsonb NOT NULL,
  holidays jsonb NOT NULL,
  exceptions jsonb NOT NULL,
  created_at timestamptz NOT NULL,
  made_by jsonb,
  PRIMARY KEY (user_id, calendar_id, number),
  FOREIGN KEY (user_id, calendar_id) REFERENCES calendars (user_id, id)
);
