import { isOnCitus } from './database-nodes.ts'

/** The statements by which events are written: of live claims, and of those on test clocks. */
export const EVENT_WRITES = isOnCitus()
  ? ['read_live_clock', 'hold_test_clocks', 'update_shard', 'log_to_shard', 'COMMIT']
  : ['append_events', 'append_events_on_test_clocks']

/** The last of them, of live claims: on distributed tables the others are in a transaction. */
export const LAST_WRITE = isOnCitus() ? 'COMMIT' : 'append_events'
