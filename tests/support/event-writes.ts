import { isOnCitus } from './database-nodes.ts'

/** The statements that write events: of live claims, and of claims on test clocks. */
export const EVENT_WRITES = isOnCitus()
  ? ['read_live_clock', 'hold_test_clocks', 'write_to_shards', 'COMMIT']
  : ['append_events', 'append_events_on_test_clocks']

/** The last statement of a write without a status change. It commits. */
export const LAST_WRITE = isOnCitus() ? 'write_to_shards' : 'append_events'
/** The same for a status change. On distributed tables, claims and notifications are written in a transaction. */
export const LAST_WRITE_OF_CHANGE = isOnCitus() ? 'COMMIT' : 'append_events'
