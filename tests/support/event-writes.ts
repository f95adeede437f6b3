import { isOnCitus } from './database-nodes.ts'

/** The statements by which events are written: of live claims, and of those on test clocks. */
export const EVENT_WRITES = isOnCitus()
  ? ['read_live_clock', 'hold_test_clocks', 'write_to_shards', 'COMMIT']
  : ['append_events', 'append_events_on_test_clocks']

/** The last of them, of live claims that stay what they are, which commits. */
export const LAST_WRITE = isOnCitus() ? 'write_to_shards' : 'append_events'
/** The same if they become something else: on distributed tables with their notifications, in a transaction. */
export const LAST_WRITE_OF_CHANGE = isOnCitus() ? 'COMMIT' : 'append_events'
