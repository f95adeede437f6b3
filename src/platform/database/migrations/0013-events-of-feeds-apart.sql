-- A feed in two parts (§4.13 rule 5): whoever is not told of single events does not read past them. Each notification is in one of the
-- indexes.
CREATE INDEX notifications_of_changes ON notifications (user_id, number) WHERE kind <> 'recorded';
CREATE INDEX notifications_of_events ON notifications (user_id, number) WHERE kind = 'recorded';
DROP INDEX notifications_feed;

-- What was removed of each part: who missed single events alone, and is not told of them, has missed nothing.
ALTER TABLE notification_removals ADD COLUMN events_number bigint NOT NULL DEFAULT 0;
UPDATE notification_removals SET events_number = number;
