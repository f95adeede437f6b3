-- Who is told by webhooks, what was sent, and what became of it (§4.14).
CREATE TABLE webhook_endpoints (
  id uuid PRIMARY KEY,
  user_id uuid NOT NULL,
  created_at timestamptz NOT NULL,
  url text NOT NULL,
  -- Null for all.
  types text[],
  customer_id uuid,
  description text,
  -- Why nothing is sent; null if it is. Of one that is deleted the deliveries are still being removed.
  disabled text,
  -- Encrypted (app/webhooks/webhook-secrets.ts).
  secret bytea NOT NULL,
  old_secret bytea,
  old_secret_until timestamptz,
  -- The notification up to which there are deliveries.
  told_up_to bigint NOT NULL,
  -- Of the last delivery.
  last_number bigint NOT NULL DEFAULT 0,
  last_hash text NOT NULL,
  -- When the first try failed since one succeeded, and until when there is none for that.
  failing_since timestamptz,
  paused_until timestamptz,
  -- The server that sends, for so long.
  sender uuid,
  sender_until timestamptz,
  CONSTRAINT disabled_is_known CHECK (disabled IN ('by hand', 'failing', 'gone', 'deleted'))
) WITH (fillfactor = 50);
CREATE INDEX webhook_endpoints_of_account ON webhook_endpoints (user_id, id);

CREATE TABLE webhook_deliveries (
  endpoint_id uuid NOT NULL,
  -- From 1 on, without holes.
  number bigint NOT NULL,
  notification_id uuid NOT NULL,
  -- The claim, candidate or whatever else it tells of.
  subject_id uuid NOT NULL,
  type text NOT NULL,
  created_at timestamptz NOT NULL,
  -- As it is sent.
  body text NOT NULL,
  bytes integer NOT NULL,
  hash text NOT NULL,
  previous_hash text NOT NULL,
  status text NOT NULL DEFAULT 'waiting',
  -- All that were made, and those since it was last asked for; how often it was asked for again.
  attempts integer NOT NULL DEFAULT 0,
  tries integer NOT NULL DEFAULT 0,
  asked integer NOT NULL DEFAULT 0,
  next_attempt_at timestamptz,
  PRIMARY KEY (endpoint_id, number),
  CONSTRAINT status_is_known CHECK (status IN ('waiting', 'succeeded', 'failed')),
  CONSTRAINT waiting_has_a_time CHECK ((status = 'waiting') = (next_attempt_at IS NOT NULL))
);
CREATE INDEX webhook_deliveries_waiting ON webhook_deliveries (endpoint_id, next_attempt_at, number)
  WHERE status = 'waiting';
CREATE INDEX webhook_deliveries_failed ON webhook_deliveries (endpoint_id, number) WHERE status = 'failed';
CREATE INDEX webhook_deliveries_of_subject ON webhook_deliveries (subject_id);
CREATE INDEX webhook_deliveries_of_notification ON webhook_deliveries (notification_id);

CREATE TABLE webhook_attempts (
  endpoint_id uuid NOT NULL,
  number bigint NOT NULL,
  attempt integer NOT NULL,
  started_at timestamptz NOT NULL,
  duration_ms integer NOT NULL,
  -- The answer's; null if there was none.
  status integer,
  -- Its beginning.
  answer text,
  error text,
  PRIMARY KEY (endpoint_id, number, attempt)
);
CREATE INDEX webhook_attempts_of_endpoint ON webhook_attempts (endpoint_id, started_at);

-- Of an endpoint: that it was disabled, and why. What is there already is known to be right.
ALTER TABLE notifications DROP CONSTRAINT kind_is_known;
ALTER TABLE notifications ADD CONSTRAINT kind_is_known
  CHECK (kind IN ('created', 'pending', 'confirmed', 'failed', 'advanced', 'failing', 'gone')) NOT VALID;
