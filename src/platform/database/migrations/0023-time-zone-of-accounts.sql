-- Works with servers from 0012 on.
-- By whose days the account goes: a name of the IANA time zone database. It changes no decision and no time that is stored.
ALTER TABLE users ADD COLUMN time_zone text NOT NULL DEFAULT 'UTC';
