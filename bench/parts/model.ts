import { availableParallelism } from 'node:os'
import type { Bench } from '../bench.ts'
import { BATCH_CONNECTIONS, type MeasuredSide, measureAll } from '../model/measure.ts'
import {
  fitModel,
  type Model,
  type ModelInput,
  needs,
  predict,
  type Validation,
  validateModel,
} from '../model/model.ts'
import { costsTable, footnotes, needsTable, predictionsTable, validationsTable } from '../model/tables.ts'
import type { Part, PartReport } from '../part.ts'
import { clusterOf, embeddedSide, type Side, sideOnCluster } from '../sides/side.ts'

/* The same constants as in `src/platform/database/limits.ts` and `src/checks/limits.ts`. */
const CHECK_BATCHES = 2
const MAX_CHECK_BATCHES = 8
const MOVE_BATCH_SIZE = 1_000
/** Statements of a batch of the check, without the statement that commits. */
const CHECK_STATEMENTS = 4

export const model: Part = {
  name: 'model',
  summary:
    'a capacity model: the measured cost of each kind of request, and predictions for clusters of many sizes',
  isExtra: true,
  run: async (bench, report) => {
    const side = await sideOf(bench)
    const measured = await measureAll(bench, side)
    const known = knownOf(measured)
    const fitted = fitModel(known)
    reportMeasured(report, measured)
    const validations = measured.validation.map((load) => ({
      ...load,
      validation: validateModel(fitted, load, known.cores),
    }))
    reportModel(bench, report, { known, fitted, validations })
    report.peakMemory('server', side.server.takePeakMb())
    await bench.stopServer(side.server)
  },
}

async function sideOf(bench: Bench): Promise<Side> {
  const { citus } = bench.options
  if (citus !== null) return sideOnCluster(bench, await clusterOf(bench, citus), 'citus')
  bench.progress.say('  no --citus and no CITUS_URL: measuring plain PostgreSQL, for one machine only')
  return embeddedSide(bench)
}

function knownOf({ side, latencies, ...measured }: MeasuredSide): ModelInput {
  const { shards, nodes: machines, isOn } = side.distribution
  return {
    ...measured,
    checkWaits: (CHECK_STATEMENTS * latencies.roundTrip + latencies.claimCommit) / 1000,
    checkConcurrency: Math.min(Math.max(CHECK_BATCHES, shards), MAX_CHECK_BATCHES),
    checkBatch: MOVE_BATCH_SIZE,
    batchConnections: BATCH_CONNECTIONS,
    shards,
    machines,
    isCitus: isOn,
    cores: availableParallelism(),
  }
}

function reportMeasured(
  report: PartReport,
  { fitted, validation, creations, latencies, ...disk }: MeasuredSide,
): void {
  for (const { name, perSecond, counts, spent } of [...fitted, ...validation, ...creations]) {
    report.row({
      what: name,
      perSecond,
      clientCpu: spent.client,
      serverCpu: spent.server,
      databaseCpu: spent.coordinator + spent.workers,
      note: `${(counts.events / counts.groups).toFixed(1)} in a group`,
      detail: { counts, spent },
    })
  }
  const ms = (value: number) => `${value.toFixed(2)} ms`
  report.row({
    what: 'latencies on an idle machine',
    note: `round trip ${ms(latencies.roundTrip)}, commit ${ms(latencies.commit)}, commit of a claim ${ms(latencies.claimCommit)}`,
  })
  const { diskOfClaim, diskOfEvent } = disk
  report.row({
    what: 'disk with indexes',
    note: `a claim ${Math.round(diskOfClaim)} bytes, an event ${Math.round(diskOfEvent)}`,
  })
}

interface ModelResults {
  known: ModelInput
  fitted: Model
  validations: { name: string; perSecond: number; validation: Validation }[]
}

function reportModel(bench: Bench, report: PartReport, { known, fitted, validations }: ModelResults): void {
  const options = bench.options.model
  const { submission, creation, check } = fitted
  const predictions = predict(known, fitted, options)
  const needed = needs(known, fitted, options)
  for (const text of [
    costsTable(fitted, known),
    validationsTable(validations),
    predictionsTable(predictions, options, known.isCitus),
    needsTable(needed, options, known.isCitus),
    footnotes(known, options),
  ]) {
    report.text(text)
  }
  report.row({
    what: 'the model',
    note: 'below',
    detail: { options, fitted, validations, predictions, needed },
  })
  for (const [kind, costs] of Object.entries({ submission, creation, check })) {
    for (const [resource, { groups, events }] of Object.entries(costs)) {
      const [unit, factor] = resource === 'walBytes' ? ['bytes', 1] : ['us', 1e6]
      report.figure(`model_${kind}_${resource}_${unit}_a_group`, groups * factor)
      report.figure(`model_${kind}_${resource}_${unit}_each`, events * factor)
    }
  }
  for (const { workers, inBatches, alone, checked } of predictions) {
    report.figure(`model_${workers}_workers_events_per_second`, inBatches.perSecond)
    report.figure(`model_${workers}_workers_single_events_per_second`, alone.perSecond)
    report.figure(`model_${workers}_workers_checked_per_minute`, checked.perSecond * 60)
  }
  for (const { eventsPerSecond, diskPerDay, workers, servers, coordinatorCores } of needed) {
    const figure = (name: string, value: number) =>
      report.figure(`model_at_${eventsPerSecond}_${name}`, value)
    figure('disk_gb_a_day', diskPerDay / 1e9)
    figure('workers', workers)
    figure('servers', servers)
    figure('coordinator_cores', coordinatorCores)
  }
  const worst = Math.max(...validations.map(({ validation }) => Math.abs(validation.errors.all)))
  report.figure('model_worst_error_percent', worst * 100)
}
