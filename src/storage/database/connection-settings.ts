/**
 * Settings of every connection. Whatever the service asks is answered by an index, in its order: the planner is not to
 * be led astray by a table that is still small or not analysed, and rows of several ids are locked in the order of the
 * ids; in a bitmap's order, that of the table, two statements could lock each other out. Before PostgreSQL 18, `jit`
 * would come with it.
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
  SET backend_flush_after = '256kB';
  SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off';
  SET citus.multi_shard_modify_mode = 'sequential'; SET citus.propagate_set_commands = 'local'`
