/**
 * Milliseconds of a turn of the event loop, after which long work goes on in the next. Between two turns everybody else
 * is served, so nobody waits longer for somebody's large request, however many of them there are.
 */
const TURN_MS = 5
/** What all long work together has of a turn in which others took longer. */
const LEAST_MS = 1
/** How much of it one of them may have before it is another's turn. */
const QUANTUM_MS = 1

interface Job {
  work: Iterator<unknown, unknown>
  resolve: (result: unknown) => void
  reject: (error: unknown) => void
}

/** Those that had no turn yet, and those that take longer. They come up alternately: short work does not wait for long. */
const fresh: Job[] = []
const begun: Job[] = []
let isFreshNext = true
let isScheduled = false
/** What long work took of this turn, and may take of it in any case. */
let spentMs = 0
let leastMs = LEAST_MS
/** Until when it goes on in this turn, and until when it leaves the turns to arrivals; by performance.now(). */
let turnEnds = 0
let restEnds = 0
let hasArrival = false

/**
 * A connection was accepted. The event loop accepts one a turn, and more may stand in line behind it: while they come,
 * turns are short, and half of the time is without long work.
 */
export function noteArrival(): void {
  hasArrival = true
}

/**
 * Does the work step by step, in as many turns of the event loop as it takes; work that is short is done at once,
 * unless others were first. A step takes a millisecond or two at most. Results come as they are ready, in any order.
 */
export function inSlices<Result>(work: Iterator<unknown, Result>): Promise<Result> {
  return new Promise<Result>((resolve, reject) => {
    fresh.push({ work, resolve: resolve as Job['resolve'], reject })
    run()
  })
}

/** Lets one after the other go on until the time is over. */
function run(): void {
  if (!isScheduled) beginTurn()
  let now = performance.now()
  while (spentMs < leastMs || now < turnEnds) {
    const job = nextJob()
    if (!job) break
    if (!isDone(job)) begun.push(job)
    const from = now
    now = performance.now()
    spentMs += now - from
    restEnds = now + spentMs
  }
  schedule()
}

function nextJob(): Job | undefined {
  isFreshNext = !isFreshNext
  return isFreshNext ? (fresh.shift() ?? begun.shift()) : (begun.shift() ?? fresh.shift())
}

function schedule(): void {
  if (isScheduled) return
  isScheduled = true
  setImmediate(() => {
    isScheduled = false
    if (fresh.length + begun.length > 0) run()
  })
}

function beginTurn(): void {
  const now = performance.now()
  spentMs = 0
  leastMs = hasArrival && now < restEnds ? 0 : LEAST_MS
  turnEnds = hasArrival ? now : now + TURN_MS
  hasArrival = false
}

/** Goes on until it is done, or another's turn has come. */
function isDone({ work, resolve, reject }: Job): boolean {
  const until = performance.now() + QUANTUM_MS
  try {
    do {
      const step = work.next()
      if (!step.done) continue
      resolve(step.value)
      return true
    } while (performance.now() < until)
  } catch (error) {
    reject(error)
    return true
  }
  return false
}

/** Does the work in one go: for what is short, of which steps would cost more than they do. */
export function atOnce<Result>(work: Iterator<unknown, Result>): Result {
  for (;;) {
    const { done, value } = work.next()
    if (done) return value
  }
}
