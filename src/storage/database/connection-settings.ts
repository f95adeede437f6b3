/**
 * Settings of every connection. Whatever the service asks is answered by an index, in its order: the planner is not to
 * be led astray by a table that is still small or not analysed, and rows of several ids are locked in the order of the
 * ids; in a bitmap's order, that of the table, two statements could lock each other out. Before PostgreSQL 18, `jit`
 * would come with it.
 *
 * So a statement's plan is the same whatever it is asked, and making it anew takes as long as what a small group does: each is made
 * once for a connection. Not where Citus is: it finds the machines of a statement by what is asked.
 *
 * What a statement pushes out of PostgreSQL's memory goes to the disk soon: the kernel would gather a check's pages for
 * half a minute and then write them all, while every commit waits to be synced.
 *
 * A commit is on the disk before it is acknowledged, whatever a role or a database says since the start; what asks for
 * more than `on` keeps it.
 *
 * The last two are for Citus, and mean nothing without: a transaction over several shards has one connection to each
 * machine, so that it sees what it has written; and settings of a transaction hold on all of them.
 */
export const CONNECTION_SETTINGS = `SET enable_seqscan = off; SET enable_bitmapscan = off; SET jit = off;
  SELECT set_config('plan_cache_mode', 'force_generic_plan', false) WHERE to_regclass('pg_dist_partition') IS NULL;
  SET backend_flush_after = '256kB';
  SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off';
  SET citus.multi_shard_modify_mode = 'sequential'; SET citus.propagate_set_commands = 'local'`
