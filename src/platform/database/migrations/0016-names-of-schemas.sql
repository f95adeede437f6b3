-- Works with servers from 0012 on.
-- What people call a schema, and what they note about it (§2.5); null for nothing.
ALTER TABLE claim_schemas ADD COLUMN name text, ADD COLUMN description text;
