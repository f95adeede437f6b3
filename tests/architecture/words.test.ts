import assert from 'node:assert/strict'
import { glob, readFile } from 'node:fs/promises'
import { test } from 'node:test'

/** Words and phrases that were replaced, and their replacement. CONTRIBUTING.md: names are the terms of the field. */
const REPLACED: readonly [RegExp, replacement: string][] = [
  [/\bseats?\b/i, 'permit, FairSemaphore'],
  [/doorway/i, 'unauthenticated limit'],
  [/lookout/i, 'Poller'],
  [/\bBorrower\b/, 'PooledConnection'],
  [/\bFairLine\b/, 'FairQueue'],
  [/\bGroupedWork\b|\bGroupedByMachine\b/, 'Batcher'],
  [/\bLanes?\b|\bSubmissionLines\b/, 'group commit: groups in flight, queues per claim'],
  [/\bWorkMemory\b/, 'RequestMemoryBudget'],
  [/\bin(Slices)\b/, 'runCooperatively'],
  [/\bisPassing\b/, 'isTransient'],
  [/\boutcomeKnown\b/, "outcome: 'not applied' or 'unknown'"],
  [/\bnote(Away|There)\b/, 'markDown, markUp'],
  [/\bgiveBack\b/, 'release'],
  [/\btake(AtOnce|Anyway)\b/, 'tryAcquire, force'],
  [/\bLender\b|\blending\b/, 'connection pool'],
  [/\bgoesAlone\b/, 'isolated'],
  [/\bhomeOf\b/, 'partitionOf'],
  [/\btakeWithin\b/, 'runExclusive'],
  [/\b(isSlow|Pace)\b/, 'AdaptiveThrottle, overloaded'],
  [/\b(whoGivesWay|giveWay|Stayer)\b/, 'load shedding: preempt, hold, release'],
  [/\bfillGaps\b/, 'lazy column loading'],
  [/\bLate(Contract|Submission)\b|\bMaybeLate\b|\bItemText\b/, 'RawJson…, RawItem: parsed on demand'],
  [/\bClaim(Draft|Copies)\b/, 'PendingDecision, ClaimCache'],
  [/\bIdsInOrder\b/, 'DueIdMerge'],
  [/\bKindMove\b/, 'TransitionGroup'],
  [/\bendsWithin\b/, 'withTimeout'],
  [/\bstartParts\b/, 'startAll'],
  [/\bwhy(Absent|Not)\b/, 'absence error, rejection reason'],
  [/\bowned\(/, 'withRejectionHandler'],
  [/\bTHE_SERVICE\b/, 'SERVICE_ACCOUNT'],
  [/\bPATIENCE_|_PATIENCE\b/, '…_TIMEOUT_MS'],
  [/\bSHORTEST_/, 'MIN_…'],
  [/\b(MOST|LONGEST)_/, 'MAX_…'],
  [/\bgoOn(Until|For)\b/, 'runUntil, runFor'],
  [/\bstartStruckService\b/, 'startProxiedService'],
  [/\b(toldOf|untold|isAllTold|untilTold)\b/, 'notified, received, reported'],
  [/\btakesEvents\b/, 'acceptsEvents'],
  [/\bWHAT_HAPPENED\b/, 'NOTIFICATION_COLUMNS'],
  [/\bPLAIN_TIME\b/, 'ELAPSED_TIME'],
  [
    /\b(AnswerSeats|DeedSeats|BodyBudget|KeptContracts|SendingSlots)\b/,
    'FairSemaphore with a name of its own',
  ],
  [
    /becomes of|in vain\b|as many as it may|nobody caught|decided anew|young generation|who gives way|such a one|whoever|told of\b|of ours\b(?!\.)|so many/i,
    'a plain sentence: subject, verb, object',
  ],
]

for (const folder of ['src', 'tests', 'docs', 'dashboard/src', 'simulate', 'bench', 'scripts', 'examples']) {
  test(`no replaced word returns in ${folder}/`, async () => {
    const found: string[] = []
    for await (const name of glob(`${folder}/**/*.{ts,tsx,md}`, {
      exclude: ['tests/architecture/words.test.ts'],
    })) {
      const text = await readFile(name, 'utf8')
      for (const [word, replacement] of REPLACED) {
        const match = word.exec(text)
        if (match === null) continue
        const line = text.slice(0, match.index).split('\n').length
        found.push(`${name}:${line}: ${JSON.stringify(match[0])} is now: ${replacement}`)
      }
    }
    assert.deepEqual(found, [])
  })
}
