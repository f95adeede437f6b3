import { backendsTerminated, processPaused } from './backends.ts'
import { databaseClockStepped, serverClockStepped } from './clocks.ts'
import {
  answersLost,
  clientConnectionCut,
  databaseConnectionCut,
  databaseFull,
  databaseSilent,
} from './connections.ts'
import { backendKilled, databaseStoppedFast, databaseStoppedImmediate } from './database.ts'
import { diskFull } from './disk.ts'
import { claimsHeld, clocksHeld, tableHeld } from './locks.ts'
import { migration, vacuumFull } from './maintenance.ts'
import { powerCut, serverKilled, serverStopped, workerKilled } from './servers.ts'
import { shardCommitCut, shardNodeCut, shardNodeKilled, shardsMove } from './shard-nodes.ts'
import {
  advanceFault,
  checkFault,
  commitFault,
  creationFault,
  groupFault,
  nextBatchFault,
  shardWriteFault,
} from './statements.ts'
import { syncFails } from './sync.ts'
import { atCheck, type LocalFault } from './timing.ts'
import { delayedCommits, STATEMENT_ERRORS } from './trigger-faults.ts'

/** All faults. Faults at a check are injected only shortly before one. */
export const FAULTS: readonly LocalFault[] = [
  serverKilled,
  serverStopped,
  workerKilled,
  powerCut,
  databaseStoppedFast,
  databaseStoppedImmediate,
  backendKilled,
  backendsTerminated,
  processPaused,
  databaseConnectionCut,
  clientConnectionCut,
  answersLost,
  databaseSilent,
  databaseFull,
  commitFault,
  groupFault,
  advanceFault,
  creationFault,
  ...STATEMENT_ERRORS,
  delayedCommits,
  claimsHeld,
  clocksHeld,
  tableHeld,
  vacuumFull,
  migration,
  diskFull,
  syncFails,
  serverClockStepped,
  databaseClockStepped,
  checkFault,
  nextBatchFault,
  atCheck(serverKilled),
  atCheck(databaseStoppedImmediate),
  atCheck(backendsTerminated),
  atCheck(databaseConnectionCut),
  shardNodeKilled,
  shardNodeCut,
  shardCommitCut,
  shardsMove,
  shardWriteFault,
  atCheck(shardNodeKilled),
  atCheck(shardNodeCut),
]
