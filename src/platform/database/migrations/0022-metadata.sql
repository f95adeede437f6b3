-- Works with servers from 0012 on.
-- What callers note about claims, candidates and customers (§2.14), null for nothing: see docs/decisions/0050.
ALTER TABLE claims ADD COLUMN metadata jsonb;
ALTER TABLE customers ADD COLUMN metadata jsonb;

-- By what lists find them: a number for each key with its value, and the record's place in its list. Entries are hints: what they lead
-- to is looked at. A server of an older version leaves them behind where it removes a claim.
CREATE TABLE claim_metadata (
  user_id uuid NOT NULL,
  pair bigint NOT NULL,
  position bigint NOT NULL,
  claim_id uuid NOT NULL,
  PRIMARY KEY (claim_id, pair)
);
CREATE INDEX claim_metadata_by_pair ON claim_metadata (user_id, pair, position) INCLUDE (claim_id);

CREATE TABLE customer_metadata (
  user_id uuid NOT NULL,
  pair bigint NOT NULL,
  position bigint NOT NULL,
  customer_id uuid NOT NULL,
  PRIMARY KEY (customer_id, pair)
);
CREATE INDEX customer_metadata_by_pair ON customer_metadata (user_id, pair, position) INCLUDE (customer_id);

-- Where the claims are distributed already.
DO $$
  BEGIN
    IF EXISTS (SELECT FROM pg_extension WHERE extname = 'citus') THEN
      IF EXISTS (SELECT FROM pg_dist_partition WHERE logicalrelid = 'claims'::regclass) THEN
        PERFORM create_distributed_table('claim_metadata', 'claim_id', colocate_with => 'claims');
      END IF;
    END IF;
  END
$$;
