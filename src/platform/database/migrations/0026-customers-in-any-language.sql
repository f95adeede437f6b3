-- Works with servers from 0012 on.
-- In the background.
-- The same in a database of any language: `lower(text)` folds by it, with the collation "C" ASCII alone (§4.5).
CREATE INDEX CONCURRENTLY customers_by_folded_external_id ON customers (user_id, (lower(external_id COLLATE "C")));
CREATE INDEX CONCURRENTLY customers_by_folded_name ON customers (user_id, (lower(name COLLATE "C"))) WHERE name IS NOT NULL;
DROP INDEX CONCURRENTLY IF EXISTS customers_by_external_id;
DROP INDEX CONCURRENTLY IF EXISTS customers_by_name;
