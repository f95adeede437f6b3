-- Works with servers from 0012 on.
/*
 * Runs a statement about claims in several shards of one machine, on distributed tables (src/storage/distribution/in-shards.ts),
 * in each shard by itself; what is written is committed together, by that machine alone. Citus hands the call on to the machine that has the
 * claim. There the statement goes to the shards' own tables: Citus takes several times as long
 * to plan a statement as PostgreSQL takes to run it. PostgreSQL takes about as long to plan it: so its plan is kept, for as long as Citus
 * keeps the connection to the machine.
 *
 * What Citus does beside planning is done here: as for each of its own statements the lock (a ShareLock) holds off
 * a move of the shards until the commit, and after a move or a split nothing is read or written where they were.
 *
 * shards: Citus's numbers of the shards of claims. announced: the key of the lock that notifications need; null for none.
 * statement: with its tables in double braces, {{claims}}. parameters: those for the first shard, then for the next; for each as many.
 * It may do no more than its caller. in_shard stays for servers that do not know of this.
 */
CREATE FUNCTION in_shards(claim uuid, shards bigint[], announced bigint, statement text, parameters text[])
RETURNS SETOF record LANGUAGE plpgsql
SET search_path FROM CURRENT SET plan_cache_mode TO force_generic_plan SET enable_seqscan TO off SET enable_bitmapscan TO off AS $$
DECLARE
  taken constant integer := cardinality(parameters) / cardinality(shards);
  given constant text := CASE WHEN taken > 0 THEN '(' || repeat('%L, ', taken - 1) || '%L)' ELSE '' END;
  hash constant text := md5(statement);
  kept text;
  own text;
  place record;
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
  FOR i IN 1 .. cardinality(shards) LOOP
    kept := 'in_shard_' || shards[i] || '_' || hash;
    IF current_setting('claimkeeper.' || kept, true) IS DISTINCT FROM 'is prepared' THEN
      own := statement;
      FOR place IN
        SELECT DISTINCT named[1] AS name, part.shardid
        FROM regexp_matches(statement, '\{\{(\w+)\}\}', 'g') AS named
        JOIN pg_dist_shard shard ON shard.shardid = shards[i]
        JOIN pg_dist_shard part ON part.logicalrelid = to_regclass(named[1])
          AND coalesce(part.shardminvalue, shard.shardminvalue) = shard.shardminvalue
      LOOP
        own := replace(own, '{{' || place.name || '}}', place.name || '_' || place.shardid);
      END LOOP;
      BEGIN
        EXECUTE 'PREPARE ' || kept || ' AS ' || own;
      EXCEPTION WHEN duplicate_prepared_statement THEN
        NULL; -- In a transaction that was not committed: the statement stays, and the setting does not.
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
