import { edit, editWithin, type Mutant } from './mutant.ts'

/** Connections, transactions, promises: what nobody sees until something breaks. */
export const OF_PLUMBING: readonly Mutant[] = [
  {
    name: 'a transaction that failed is not rolled back, and its connection lent again',
    edits: [
      edit("await this.query({ text: 'ROLLBACK' }).catch(() => {})", ''),
      edit("&& client.getTransactionStatus() === 'I'", ''),
    ],
    faults: 'check-struck,advance-struck,refused-40001',
  },
  {
    name: 'what a transaction did is answered before its commit',
    edits: [edit('await this.#commit()', 'this.#commit().catch(() => {})')],
  },
  {
    name: 'commits are not on the disk when they are acknowledged',
    edits: [
      edit(
        "SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'",
        "SELECT set_config('synchronous_commit', 'off', false)",
      ),
    ],
    faults: 'power-cut,database-stopped-immediate,backend-killed',
  },
  {
    name: 'the outcome of a group of which one part was lost is forgotten',
    edits: [
      edit(
        'for (const decision of some) decision.written = writtenBy(decision, result)',
        'if (!hasEnded) for (const decision of some) decision.written = writtenBy(decision, result)',
      ),
    ],
    faults: 'answers-lost,backends-terminated',
  },
  {
    name: 'a lost write is taken for none',
    edits: [
      edit(
        'const unavailable = asDatabaseUnavailable(error, readOnly === true)',
        'const unavailable = asDatabaseUnavailable(error, readOnly ?? true)',
      ),
    ],
    faults: 'database-connection-cut,group-struck,backends-terminated',
  },
  {
    name: 'a promise has no handler: the next batch of a check',
    edits: [
      edit(
        'allSettled([nextBatches(context, coming), ...current.map((batch) => moveBatch(context, check, batch))]),',
        '{\n        const reading = nextBatches(context, coming)\n        return Promise.all(current.map((batch) => moveBatch(context, check, batch))).then(async (moved) => [await reading, ...moved] as const)\n      },',
      ),
    ],
    faults: 'next-batch-of-check-struck',
  },
  {
    name: 'a promise has no handler: the word to itself of a server that listens',
    edits: [
      edit('[CHANNEL, probe]).catch(reject)', '[CHANNEL, probe])'),
      edit('lastSent = sent.catch(() => {})', 'lastSent = sent'),
    ],
    faults: 'backends-terminated',
  },
  {
    name: 'a promise has no handler: the next line of somebody who goes away',
    edits: [
      edit('    (failure: unknown) => ({ failure }),\n', ''),
      edit('const MAX_LINES_IN_PROGRESS = 500', 'const MAX_LINES_IN_PROGRESS = 2'),
    ],
  },
  {
    name: 'claims are locked in the order in which their events arrive',
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
    name: 'times in a log follow the clock, also when it is set back',
    edits: [
      edit(
        "CASE WHEN d.last_ms > clock.now_ms THEN to_timestamp(0) + d.last_ms * interval '1 millisecond' ELSE now END AS at",
        'now AS at',
      ),
    ],
    faults: 'database-clock-stepped',
  },
  {
    name: 'nobody does the checks once the worker that did them has died',
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
    name: 'a worker that dies is not started again',
    edits: [
      edit(
        'slot.again = setTimeout(() => this.#fork(slot), pauseBefore(slot))',
        'place.again = setTimeout(() => {}, pauseBefore(place))',
      ),
    ],
    faults: 'worker-killed',
    servers: 1,
    workers: 2,
  },
]
