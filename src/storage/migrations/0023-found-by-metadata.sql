-- Works with servers from 0012 on.
-- In the background.
-- Without a list of what is still to be put into it: whoever came upon a full one would pay for all before.
CREATE INDEX CONCURRENTLY claims_by_metadata ON claims USING gin (metadata_pairs) WITH (fastupdate = off)
  WHERE metadata_pairs IS NOT NULL;
CREATE INDEX CONCURRENTLY customers_by_metadata ON customers USING gin (metadata_pairs) WITH (fastupdate = off)
  WHERE metadata_pairs IS NOT NULL;
