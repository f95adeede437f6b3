-- Each event that is recorded is told of where an account asks, or an endpoint of webhooks names the type (§4.13).
CREATE TABLE notification_settings (
  user_id uuid PRIMARY KEY,
  event_recorded boolean NOT NULL
);
CREATE INDEX webhook_endpoints_for_events ON webhook_endpoints (user_id)
  WHERE types && '{claim.event_recorded,candidate.event_recorded}'::text[] AND disabled IS DISTINCT FROM 'deleted';

-- What is there already is known to be right.
ALTER TABLE notifications DROP CONSTRAINT kind_is_known;
ALTER TABLE notifications ADD CONSTRAINT kind_is_known
  CHECK (kind IN ('created', 'pending', 'confirmed', 'failed', 'recorded', 'advanced', 'failing', 'gone')) NOT VALID;
