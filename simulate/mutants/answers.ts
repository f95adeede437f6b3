import { edit, type Mutant } from './mutant.ts'

/** Who gets which answer. */
export const OF_ANSWERS: readonly Mutant[] = [
  {
    name: 'the answers of a group go out in another order',
    edits: [
      edit(
        'app/submission/submission-queue.ts',
        'const result = one.takeResult()',
        'const result = (submissions.findLast((other) => other.result) ?? one).takeResult()',
      ),
    ],
  },
  {
    name: 'items of a batch are answered in the order in which they are done',
    edits: [
      edit(
        'http/events/event-results.ts',
        'results[place] = result',
        'results[items.length - left] = result',
      ),
    ],
  },
  {
    name: 'creations that cannot be read are answered behind the others',
    edits: [
      edit('http/claims/claim-batches.ts', 'const created = opened.values()', 'const created = opened'),
      edit(
        'http/claims/claim-batches.ts',
        'const outcomes = read.map((one) =>\n        one instanceof Error ? one : (created.next().value as OpenedClaim | Error),\n      )',
        'const outcomes = [...created, ...read.filter((one) => one instanceof Error)]',
      ),
    ],
    by: 'fuzz',
  },
  {
    name: 'an item of a batch is not validated',
    edits: [edit('http/protocol/batch.ts', '    if (error) throw error\n', '    void error\n')],
    by: 'fuzz',
  },
  {
    name: 'the answer to a request with a key is not kept',
    edits: [
      edit(
        'app/idempotency/do-once.ts',
        'if (!(await storeKeyedAnswer(connection, userId, key, toKept(request, answer)))) throw keyReused()',
        'void [storeKeyedAnswer, keyReused, toKept]',
      ),
    ],
  },
  {
    name: 'the claims of a key have other ids each time',
    edits: [
      edit(
        'app/creation/create-claims.ts',
        'const seed = key && seedOfPlace(key.seed, place)',
        'const seed = key && seedOfPlace(app.db.distribution.newClaimId(), place)',
      ),
    ],
  },
  {
    name: 'who creates the same with one key at the same moment is refused',
    edits: [
      edit(
        'app/creation/open-once.ts',
        'const taken = valid.filter((opening) => outcomes.get(opening) instanceof Taken)',
        'const taken = valid.filter((opening) => outcomes.get(opening) instanceof Taken && opening.address.kind === "candidate")',
      ),
    ],
  },
  {
    name: 'a candidate that was created with a key is another’s when it is sent again',
    edits: [
      edit(
        'app/creation/create-candidates.ts',
        'seed: key && seedOfPlace(key.seed, place)',
        'seed: key && seedOfPlace(key.seed, place + performance.now())',
      ),
    ],
  },
  {
    name: 'a version of a schema is kept with the contract that follows it',
    edits: [
      edit(
        'storage/claim-schemas.ts',
        'SELECT $1, $2, version_number, contract, name, description, version_at, version_by FROM judged WHERE is_other',
        'SELECT $1, $2, version_number, new_contract, name, description, version_at, version_by FROM judged WHERE is_other',
      ),
    ],
  },
  {
    name: 'a claim names the version of its schema before the one whose contract it has',
    edits: [
      edit('storage/claim-schemas.ts', 's.version_number AS version', 's.version_number - 1 AS version'),
    ],
  },
  {
    name: 'a line is answered twice, and another not at all',
    edits: [edit('http/protocol/answer-lines.ts', 'inWork.shift()', 'inWork.pop()')],
  },
  {
    name: 'a last line without an end is dropped',
    edits: [
      edit(
        'http/bodies/read-lines.ts',
        '  const last = begun.end(Buffer.alloc(0))\n  if (!isBlank(last)) yield last\n',
        '',
      ),
    ],
    by: 'fuzz',
  },
  {
    name: 'of a write that takes long it is said that it was not made',
    edits: [
      edit(
        'app/submission/submission-queue.ts',
        'this.#end(one, notKnown(one.request))',
        'this.#end(one, outOfPatience(one))',
      ),
      edit('app/submission/submission-queue.ts', 'const LONGEST_MS = 10_000', 'const LONGEST_MS = 1_000'),
    ],
    faults: 'database-silent,database-process-paused',
  },
]
