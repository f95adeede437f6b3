-- Works with servers from 0012 on.
-- In the background.
CREATE INDEX CONCURRENTLY customers_by_external_id ON customers (user_id, (lower(external_id) COLLATE "C"));
CREATE INDEX CONCURRENTLY customers_by_name ON customers (user_id, (lower(name) COLLATE "C")) WHERE name IS NOT NULL;
