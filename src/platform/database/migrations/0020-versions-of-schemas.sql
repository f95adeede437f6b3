-- Works with servers from 0012 on.
-- Schemas keep their earlier versions, and claims say from which one they were made (§2.5): see docs/decisions/0048.

-- The version that a schema has now; its contract and its names stand in the row. When it was made, and who made it: null if that is
-- not known, as of all that servers of an older version make.
ALTER TABLE claim_schemas
  ADD COLUMN version_number integer NOT NULL DEFAULT 1,
  ADD COLUMN version_at timestamptz,
  ADD COLUMN version_by jsonb;

-- Those that it had before. Both tables stay on one machine; they would be distributed alike.
CREATE TABLE claim_schema_versions (
  user_id uuid NOT NULL,
  schema_id uuid NOT NULL,
  number integer NOT NULL,
  contract json NOT NULL,
  name text,
  description text,
  created_at timestamptz NOT NULL,
  made_by jsonb,
  PRIMARY KEY (user_id, schema_id, number),
  FOREIGN KEY (user_id, schema_id) REFERENCES claim_schemas (user_id, id) ON DELETE CASCADE
);

-- Null without a schema, and of a claim that a server of an older version made.
ALTER TABLE claims ADD COLUMN schema_version integer;

-- A server of an older version changes a schema and not its number. Without this a claim would name a version whose contract is
-- another. To be dropped once no such server may run any more.
CREATE FUNCTION keep_version_of_schema() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO claim_schema_versions (user_id, schema_id, number, contract, name, description, created_at, made_by)
  VALUES (OLD.user_id, OLD.id, OLD.version_number, OLD.contract, OLD.name, OLD.description,
    coalesce(OLD.version_at, OLD.updated_at), OLD.version_by);
  DELETE FROM claim_schema_versions
  WHERE user_id = OLD.user_id AND schema_id = OLD.id AND number <= OLD.version_number - 99;
  NEW.version_number := OLD.version_number + 1;
  NEW.version_at := date_trunc('milliseconds', clock_timestamp());
  NEW.version_by := NULL;
  RETURN NEW;
END
$$;

CREATE TRIGGER version_not_counted
  BEFORE UPDATE ON claim_schemas
  FOR EACH ROW WHEN (NEW.version_number = OLD.version_number AND (NEW.contract::text <> OLD.contract::text
    OR NEW.name IS DISTINCT FROM OLD.name OR NEW.description IS DISTINCT FROM OLD.description))
  EXECUTE FUNCTION keep_version_of_schema();
