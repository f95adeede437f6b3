import { edit, editWithin, type Mutant } from './mutant.ts'

/** Events: repeats, conditions, stored state. */
export const EVENT_MUTANTS: readonly Mutant[] = [
  {
    name: 'an event is appended without the guard',
    edits: [
      editWithin(
        'guardedWrite',
        'c.status = d.seen_status AND c.event_count = d.seen',
        'c.status = d.seen_status',
      ),
    ],
  },
  {
    name: 'a repeat within a group is counted twice',
    edits: [
      edit(
        'if (this.#recordedIds.has(submission.id) || this.#addedById?.has(submission.id)) {',
        'if (this.#recordedIds.has(submission.id)) {',
      ),
    ],
  },
  {
    name: 'a repeat is counted twice if the claim is cached',
    edits: [edit('snapshot.idHashes.includes(hashOfId(id))', 'snapshot.idHashes.length < 0 && id === ""')],
  },
  {
    name: 'a repeat with other content is no conflict',
    edits: [
      edit(
        "return isSame ? 'replay' : 'id-conflict'",
        "return isSame || recorded ? 'replay' : 'id-conflict'",
      ),
    ],
  },
  {
    name: 'a repeat is answered as a new event',
    edits: [edit("replayed: one.kind === 'repeat' }", 'replayed: false }')],
  },
  {
    name: 'refusals and repeats are decided from a stale cached claim',
    edits: [
      edit('if (decision?.writes) decisions', 'if (decision) decisions'),
      edit("if (this.#after.status !== 'OPEN') return false\n", ''),
    ],
  },
  {
    name: 'a failed write leaves its events in the log',
    edits: [
      edit(
        'cache.delete(id)\n    return\n',
        "if ('reason' in written && written.reason === 'stale') cache.delete(id)\n    return\n",
      ),
      editWithin(
        'PendingDecision',
        'this.#log = decision.log\n',
        'this.#log = decision.log\n        this.snapshot.log = decision.log\n',
      ),
    ],
    faults: 'refused-53100',
    servers: 1,
  },
  {
    name: 'a cached claim is kept after a conflicting write of another server',
    edits: [
      edit(
        'cache.delete(id)\n    return\n',
        "if (!('reason' in written && written.reason === 'stale')) cache.delete(id)\n    return\n",
      ),
    ],
  },
  {
    name: 'a claim accepts events until it is resolved',
    edits: [
      edit(
        "if (claim.status !== 'OPEN') return",
        "if (claim.status === 'CONFIRMED' || claim.status === 'FAILED') return",
      ),
      editWithin(
        'guardedWrite',
        'c.status = d.seen_status AND c.event_count = d.seen',
        'c.event_count = d.seen',
      ),
    ],
  },
  {
    name: 'the first decisive event of a log is ignored',
    edits: [edit('decisiveEvents: decisive ?? [],', 'decisiveEvents: (decisive ?? []).slice(1),')],
  },
  {
    name: 'the digest of a log omits the first leaf',
    edits: [edit('if (log.isSatisfied(leaf))', 'if (i > 0 && log.isSatisfied(leaf))')],
  },
  {
    name: 'the digest of a log has false negatives for event ids',
    edits: [
      edit('digest.idHashes.includes(hashOfId(id))', 'digest.idHashes.length < 0 && hashOfId(id) === 0'),
    ],
  },
  {
    name: 'a condition is not re-evaluated once its value is known',
    edits: [
      edit(
        'return new EventLog(\n      this.#condition,\n      satisfied ?? this.#satisfied,\n      aggregates === null ? this.#aggregates : new Map([...(this.#aggregates ?? []), ...aggregates]),\n    )',
        'const next = new EventLog(\n      this.#condition,\n      satisfied ?? this.#satisfied,\n      aggregates === null ? this.#aggregates : new Map([...(this.#aggregates ?? []), ...aggregates]),\n    )\n    next.#holds = this.#holds\n    return next',
      ),
    ],
  },
  {
    name: 'gte is evaluated as gt',
    edits: [edit('number >= bound', 'number > bound')],
  },
  {
    name: 'the evaluation of one event leaks into the next',
    edits: [edit('this.#satisfied.fill(0)\n', '')],
  },
  {
    name: 'the review window is as long as the activity window',
    edits: [
      edit('satisfied(claim.contract)', 'satisfied({ review_window: claim.contract.activity_window })'),
    ],
  },
  {
    name: 'status_since of a PENDING claim is the time of its creation',
    edits: [
      edit(
        'status_since = CASE WHEN d.status IS NULL THEN c.status_since ELSE d.at END',
        'status_since = c.status_since',
      ),
    ],
  },
  {
    name: 'events do not satisfy the condition of a candidate',
    edits: [
      edit(
        'becomes: this.#becomes,',
        'becomes: this.snapshot.claim.candidateAlias === null ? this.#becomes : null,',
      ),
    ],
  },
  {
    name: 'the bytes of a log are not counted',
    edits: [edit('this.#after.logBytes += submission.payloadBytes', 'void submission')],
  },
  {
    name: 'a log accepts one event above its limit',
    edits: [edit('claim.eventCount >= MAX_EVENTS', 'claim.eventCount > MAX_EVENTS')],
    by: 'fuzz',
  },
]
