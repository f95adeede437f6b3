import { edit, type Mutant } from './mutant.ts'

/** Responses: order, validation, idempotency keys, versions. */
export const HTTP_MUTANTS: readonly Mutant[] = [
  {
    name: 'the results of a batch are in another order',
    edits: [
      edit(
        'return submissions.map((one) => outcomeOf(context, one))',
        'return submissions.map((one) => outcomeOf(context, submissions.findLast((other) => other.result) ?? one))',
      ),
    ],
  },
  {
    name: 'results of a batch are in the order of completion',
    edits: [edit('results[place] = result', 'results[items.length - left] = result')],
  },
  {
    name: 'invalid creations are answered after the valid ones',
    edits: [
      edit('const created = opened.values()', 'const created = opened'),
      edit(
        'const outcomes = read.map((one) =>\n        one instanceof Error ? one : (created.next().value as CreatedClaim | Error),\n      )',
        'const outcomes = [...created, ...read.filter((one) => one instanceof Error)]',
      ),
    ],
    by: 'fuzz',
  },
  {
    name: 'an item of a batch is not validated',
    edits: [edit('    if (error) throw error\n', '    void error\n')],
    by: 'fuzz',
  },
  {
    name: 'the response to a request with a key is not stored',
    edits: [
      edit(
        'if (!(await storeKeyedAnswer(within.write, userId, key, toStored(request, answer)))) throw keyReused()',
        'void [storeKeyedAnswer, keyReused, toStored]',
      ),
    ],
  },
  {
    name: 'a repeated request with a key uses other ids',
    edits: [
      edit(
        'const seed = key && seedOfPlace(key.seed, place)',
        'const seed = key && seedOfPlace(app.db.distribution.newClaimId(), place)',
      ),
    ],
  },
  {
    name: 'concurrent creations with the same key are refused',
    edits: [
      edit(
        'const conflicting = valid.filter((request) => results.get(request) instanceof NameTaken)',
        'const conflicting = valid.filter((request) => results.get(request) instanceof NameTaken && request.address.kind === "candidate")',
      ),
    ],
  },
  {
    name: 'a repeated creation of a candidate with a key returns another candidate',
    edits: [
      edit(
        'seed: key && seedOfPlace(key.seed, place)',
        'seed: key && seedOfPlace(key.seed, place + performance.now())',
      ),
    ],
  },
  {
    name: 'a version of a schema is stored with the contract of the next version',
    edits: [
      edit(
        'version_number, contract, name, description, version_at, version_by FROM compared WHERE is_new_version',
        'version_number, new_contract, name, description, version_at, version_by FROM compared WHERE is_new_version',
      ),
    ],
  },
  {
    name: 'a claim names the version of its schema before the version of its contract',
    edits: [edit('s.version_number AS version', 's.version_number - 1 AS version')],
  },
  {
    name: 'one line has two results and another line has none',
    edits: [edit('inProgress.shift()', 'inProgress.pop()')],
  },
  {
    name: 'a last line without a line break is dropped',
    edits: [edit('  const last = begun.end(Buffer.alloc(0))\n  if (!isBlank(last)) yield last\n', '')],
    by: 'fuzz',
  },
  {
    name: 'a slow write is reported as not applied',
    edits: [
      edit('return submission.outcomeUnknown()', 'return submission.timeoutError'),
      edit('SUBMISSION_TIMEOUT_MS = 10_000', 'SUBMISSION_TIMEOUT_MS = 1_000'),
    ],
    faults: 'database-silent,database-process-paused',
  },
]
