-- Works with servers from 0012 on.
-- What callers note about claims, candidates and customers (§2.14); null for nothing. Of each key with its value and the account there
-- is a number, by which the lists find it: see docs/decisions/0050.
ALTER TABLE claims ADD COLUMN metadata jsonb, ADD COLUMN metadata_pairs bigint[];
ALTER TABLE customers ADD COLUMN metadata jsonb, ADD COLUMN metadata_pairs bigint[];
