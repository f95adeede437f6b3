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
import { atCheck, type RealFault } from './moments.ts'
import { commitsLinger, REFUSALS } from './refusals.ts'
import { powerCut, serverKilled, serverStopped, workerKilled } from './servers.ts'
import { shardCommitCut, shardNodeCut, shardNodeKilled, shardsMove } from './shard-nodes.ts'
import {
  advanceStruck,
  checkStruck,
  commitStruck,
  creationStruck,
  groupStruck,
  nextBatchStruck,
  shardWriteStruck,
} from './statements.ts'
import { syncFails } from './sync.ts'

/** All faults. Faults at a check strike only if a check is soon. */
export const FAULTS: readonly RealFault[] = [
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
  commitStruck,
  groupStruck,
  advanceStruck,
  creationStruck,
  ...REFUSALS,
  commitsLinger,
  claimsHeld,
  clocksHeld,
  tableHeld,
  vacuumFull,
  migration,
  diskFull,
  syncFails,
  serverClockStepped,
  databaseClockStepped,
  checkStruck,
  nextBatchStruck,
  atCheck(serverKilled),
  atCheck(databaseStoppedImmediate),
  atCheck(backendsTerminated),
  atCheck(databaseConnectionCut),
  shardNodeKilled,
  shardNodeCut,
  shardCommitCut,
  shardsMove,
  shardWriteStruck,
  atCheck(shardNodeKilled),
  atCheck(shardNodeCut),
]
