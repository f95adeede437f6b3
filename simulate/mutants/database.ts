import { edit, editWithin, type Mutant } from './mutant.ts'

/** Connections, transactions, promises, workers. Most are found only with an injected fault. */
export const DATABASE_MUTANTS: readonly Mutant[] = [
  {
    name: 'a connection returns to the pool without a rollback',
    edits: [
      edit("await this.query({ text: 'ROLLBACK' }).catch(() => {})", ''),
      edit("&& client.getTransactionStatus() === 'I'", ''),
    ],
    faults: 'check-struck,advance-struck,refused-40001',
  },
  {
    name: 'a transaction is acknowledged before its commit',
    edits: [edit('await this.#commit()', 'this.#commit().catch(() => {})')],
  },
  {
    name: 'commits are acknowledged before they are on disk',
    edits: [
      edit(
        "SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'",
        "SELECT set_config('synchronous_commit', 'off', false)",
      ),
    ],
    faults: 'power-cut,database-stopped-immediate,backend-killed',
  },
  {
    name: 'the outcomes of a group are lost if the connection breaks during one of its statements',
    edits: [
      edit(
        'for (const decision of some) decision.written = writtenBy(decision, result)',
        'if (!hasEnded) for (const decision of some) decision.written = writtenBy(decision, result)',
      ),
    ],
    faults: 'answers-lost,backends-terminated',
  },
  {
    name: 'a write whose connection breaks is treated as not applied',
    edits: [
      edit(
        'const unavailable = asDatabaseUnavailable(error, readOnly === true)',
        'const unavailable = asDatabaseUnavailable(error, readOnly ?? true)',
      ),
    ],
    faults: 'database-connection-cut,group-struck,backends-terminated',
  },
  {
    name: 'the rejection of the next batch of a check is unhandled',
    edits: [
      edit(
        'allAfterSettled([\n        nextBatches(context, source),\n        ...current.map((batch) => moveBatch(context, check, batch)),\n      ]),',
        '{\n        const reading = nextBatches(context, source)\n        return Promise.all(current.map((batch) => moveBatch(context, check, batch))).then(async (moved) => [await reading, ...moved] as const)\n      },',
      ),
    ],
    faults: 'next-batch-of-check-struck',
  },
  {
    name: 'the rejection of the probe of a listening server is unhandled',
    edits: [
      edit('[CHANNEL, probe]).catch(reject)', '[CHANNEL, probe])'),
      edit('lastSent = sent.catch(() => {})', 'lastSent = sent'),
    ],
    faults: 'backends-terminated',
  },
  {
    name: 'the rejection of the next line after a disconnect is unhandled',
    edits: [
      edit('    (failure: unknown) => ({ failure }),\n', ''),
      edit('const MAX_LINES_IN_PROGRESS = 500', 'const MAX_LINES_IN_PROGRESS = 2'),
    ],
  },
  {
    name: 'claims are locked in the order of their events',
    edits: [
      editWithin(
        'appendAtOnce',
        'unordered.toSorted((a, b) => (a.seen.id < b.seen.id ? -1 : 1))',
        'unordered',
      ),
      editWithin(
        'guardedWrite',
        'WHERE c.id = ANY ($1::uuid[]) AND c.id = d.id AND',
        'WHERE c.id = d.id AND',
      ),
    ],
    servers: 3,
    clients: 32,
  },
  {
    name: 'times in a log go back when the clock is set back',
    edits: [
      edit(
        "CASE WHEN d.last_ms > clock.now_ms THEN to_timestamp(0) + d.last_ms * interval '1 millisecond' ELSE now END AS at",
        'now AS at',
      ),
    ],
    faults: 'database-clock-stepped',
  },
  {
    name: 'no worker takes over the checks of a worker that has exited',
    edits: [
      edit(
        'if (ready.some(({ worker }) => worker === this.#scheduler)) return',
        'if (this.#scheduler) return',
      ),
    ],
    faults: 'worker-killed',
    servers: 1,
    workers: 2,
  },
  {
    name: 'a worker that exits is not restarted',
    edits: [
      edit(
        'slot.restartTimer = setTimeout(() => this.#fork(slot), pauseBefore(slot))',
        'slot.restartTimer = setTimeout(() => {}, pauseBefore(slot))',
      ),
    ],
    faults: 'worker-killed',
    servers: 1,
    workers: 2,
  },
]
