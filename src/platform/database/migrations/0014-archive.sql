-- Works with servers from 0012 on.
-- Claims that have left for an archive of files (§4.15): see docs/decisions/0042.

-- Files that were written and read back. Kept before any claim leaves for it.
CREATE TABLE archive_files (
  -- By what is in it: the same claims make the same file.
  id uuid PRIMARY KEY,
  user_id uuid NOT NULL,
  -- Below the archive's folder.
  path text NOT NULL,
  -- SHA-256 of what is in it, uncompressed, hexadecimal.
  sha256 text NOT NULL,
  claims integer NOT NULL,
  -- Compressed.
  bytes bigint NOT NULL,
  written_at timestamptz NOT NULL
);

-- What is left of a claim that has left: whose it was, its place in the lists, and where it is. A candidate's alias is taken by this row,
-- which has the id that the alias gives. One that was restored keeps its row, so that it is not archived again at once.
CREATE TABLE archived_claims (
  id uuid PRIMARY KEY,
  user_id uuid NOT NULL,
  is_candidate boolean NOT NULL,
  position bigint NOT NULL,
  status text NOT NULL,
  event_count integer NOT NULL,
  file_id uuid NOT NULL,
  archived_at timestamptz NOT NULL,
  -- Null while it is archived: then it is not in `claims`.
  restored_at timestamptz
);

-- The server that archives, for so long. One row.
CREATE TABLE archive_turn (
  holder uuid,
  held_until timestamptz
);
INSERT INTO archive_turn VALUES (NULL, NULL);

-- Where the claims are distributed already.
DO $$
  BEGIN
    IF EXISTS (SELECT FROM pg_extension WHERE extname = 'citus') THEN
      IF EXISTS (SELECT FROM pg_dist_partition WHERE logicalrelid = 'claims'::regclass) THEN
        PERFORM create_distributed_table('archived_claims', 'id', colocate_with => 'claims');
      END IF;
    END IF;
  END
$$;
