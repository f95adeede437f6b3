-- Works with servers from 0012 on.
/*
 * Runs a statement about claims of one shard, on distributed tables (src/storage/distribution/in-shard.ts). Citus hands the call
 * on to the machine that has the claim. There the statement goes to the shard's own tables, whose names it has: Citus takes
 * several times as long to plan a statement as PostgreSQL takes to run it. What Citus does beside planning is done here: as
 * for each of its own statements the lock (a ShareLock) holds off a move of the shard until the commit, and after a move
 * or a split nothing is read or written where it was.
 *
 * shard: Citus's number of the shard of claims. announced: the key of the lock that notifications need; null for none.
 * It may do no more than its caller.
 */
CREATE FUNCTION in_shard(
  claim uuid, shard bigint, announced bigint, statement text,
  p1 text DEFAULT NULL, p2 text DEFAULT NULL, p3 text DEFAULT NULL, p4 text DEFAULT NULL, p5 text DEFAULT NULL,
  p6 text DEFAULT NULL, p7 text DEFAULT NULL, p8 text DEFAULT NULL, p9 text DEFAULT NULL, p10 text DEFAULT NULL,
  p11 text DEFAULT NULL, p12 text DEFAULT NULL, p13 text DEFAULT NULL, p14 text DEFAULT NULL, p15 text DEFAULT NULL,
  p16 text DEFAULT NULL, p17 text DEFAULT NULL, p18 text DEFAULT NULL, p19 text DEFAULT NULL, p20 text DEFAULT NULL,
  p21 text DEFAULT NULL, p22 text DEFAULT NULL, p23 text DEFAULT NULL, p24 text DEFAULT NULL, p25 text DEFAULT NULL,
  p26 text DEFAULT NULL, p27 text DEFAULT NULL, p28 text DEFAULT NULL
) RETURNS SETOF record LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  IF announced IS NOT NULL THEN
    PERFORM pg_advisory_xact_lock_shared(announced);
  END IF;
  BEGIN
    PERFORM lock_shard_metadata(5, ARRAY[shard]);
  EXCEPTION WHEN internal_error THEN
    RAISE EXCEPTION 'shard % is no more', shard USING ERRCODE = 'serialization_failure';
  END;
  IF NOT EXISTS (SELECT FROM pg_dist_placement JOIN pg_dist_local_group USING (groupid) WHERE shardid = shard) THEN
    RAISE EXCEPTION 'shard % is not here', shard USING ERRCODE = 'serialization_failure';
  END IF;
  RETURN QUERY EXECUTE statement
  USING p1, p2, p3, p4, p5, p6, p7, p8, p9, p10, p11, p12, p13, p14,
    p15, p16, p17, p18, p19, p20, p21, p22, p23, p24, p25, p26, p27, p28;
END
$$;
DO $$
BEGIN
  IF EXISTS (SELECT FROM pg_extension WHERE extname = 'citus') THEN
    IF EXISTS (SELECT FROM pg_dist_partition WHERE logicalrelid = 'claims'::regclass) THEN
      PERFORM create_distributed_function('in_shard'::regproc::oid::regprocedure, 'claim', colocate_with => 'claims', force_delegation => true);
    END IF;
  END IF;
END
$$;
