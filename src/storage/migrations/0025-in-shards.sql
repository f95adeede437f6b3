-- Works with servers from 0012 on.
/*
 * Runs a statement about claims in several shards of one machine, on distributed tables (src/storage/distribution/in-shards.ts),
 * in each shard by itself; what is written is committed together, by that machine alone. Citus hands the call on to the machine that has the
 * claim. There the statement goes to the shards' own tables, whose names it has: Citus takes several times as long
 * to plan a statement as PostgreSQL takes to run it. PostgreSQL takes about as long to plan it: so its plan is kept, for as long as Citus
 * keeps the connection to the machine.
 *
 * What Citus does beside planning is done here: as for each of its own statements the lock (a ShareLock) holds off
 * a move of the shards until the commit, and after a move or a split nothing is read or written where they were.
 *
 * shards: Citus's numbers of the shards of claims. announced: the key of the lock that notifications need; null for none.
 * statements: for each shard its text. parameters: those of the first, then of the next; each statement takes as many.
 * It may do no more than its caller. in_shard stays for servers that do not know of this.
 */
CREATE FUNCTION in_shards(claim uuid, shards bigint[], announced bigint, statements text[], parameters text[])
RETURNS SETOF record LANGUAGE plpgsql
SET search_path FROM CURRENT SET plan_cache_mode TO force_generic_plan SET enable_seqscan TO off SET enable_bitmapscan TO off AS $$
DECLARE
  taken constant integer := cardinality(parameters) / cardinality(statements);
  given constant text := CASE WHEN taken > 0 THEN '(' || repeat('%L, ', taken - 1) || '%L)' ELSE '' END;
  kept text;
BEGIN
  IF announced IS NOT NULL THEN
    PERFORM pg_advisory_xact_lock_shared(announced);
  END IF;
  BEGIN
    PERFORM lock_shard_metadata(5, shards);
  EXCEPTION WHEN internal_error THEN
    RAISE EXCEPTION 'one of the shards % is no more', shards USING ERRCODE = 'serialization_failure';
  END;
  IF EXISTS (
    SELECT FROM unnest(shards) AS shard WHERE NOT EXISTS (
      SELECT FROM pg_dist_placement JOIN pg_dist_local_group USING (groupid) WHERE shardid = shard
    )
  ) THEN
    RAISE EXCEPTION 'one of the shards % is not here', shards USING ERRCODE = 'serialization_failure';
  END IF;
  FOR i IN 1 .. cardinality(statements) LOOP
    kept := 'in_shards_' || md5(statements[i]);
    IF current_setting('claimkeeper.' || kept, true) IS DISTINCT FROM 'is prepared' THEN
      BEGIN
        EXECUTE 'PREPARE ' || kept || ' AS ' || statements[i];
      EXCEPTION WHEN duplicate_prepared_statement THEN
        -- In a transaction that was not committed: the statement stays, and the setting does not.
      END;
      PERFORM set_config('claimkeeper.' || kept, 'is prepared', false);
    END IF;
    RETURN QUERY EXECUTE 'EXECUTE ' || kept || format(given, VARIADIC parameters[(i - 1) * taken + 1 : i * taken]);
  END LOOP;
END
$$;
DO $$
BEGIN
  IF EXISTS (SELECT FROM pg_extension WHERE extname = 'citus') THEN
    IF EXISTS (SELECT FROM pg_dist_partition WHERE logicalrelid = 'claims'::regclass) THEN
      PERFORM create_distributed_function('in_shards'::regproc::oid::regprocedure, 'claim', colocate_with => 'claims', force_delegation => true);
    END IF;
  END IF;
END
$$;
