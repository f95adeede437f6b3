/**
 * Milliseconds of one turn of the event loop for all long work together. Between two turns everybody else is served,
 * so nobody waits longer for somebody's large request, however many of them there are.
 */
const SLICE_MS = 5
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
/** What long work took of this turn of the loop. */
let spentMs = 0

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
  const from = performance.now()
  let now = from
  for (let job = nextJob(); job; job = nextJob()) {
    if (!isDone(job)) begun.push(job)
    now = performance.now()
    if (spentMs + now - from >= SLICE_MS) break
  }
  spentMs += now - from
  schedule()
}

function nextJob(): Job | undefined {
  if (spentMs >= SLICE_MS) return undefined
  isFreshNext = !isFreshNext
  return isFreshNext ? (fresh.shift() ?? begun.shift()) : (begun.shift() ?? fresh.shift())
}

function schedule(): void {
  if (isScheduled) return
  isScheduled = true
  setImmediate(() => {
    isScheduled = false
    spentMs = 0
    if (fresh.length + begun.length > 0) run()
  })
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
