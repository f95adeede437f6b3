/**
 * Milliseconds of one turn of the event loop for all long work together. Between two turns everybody else is served,
 * so nobody waits longer for somebody's large request, however many of them there are.
 */
const SLICE_MS = 8
/** How much of it one of them may have before it is another's turn. */
const QUANTUM_MS = 2

interface Job {
  work: Iterator<unknown, unknown>
  resolve: (result: unknown) => void
  reject: (error: unknown) => void
}

/** Begun, and not done: they take turns. */
const jobs: Job[] = []
let isScheduled = false
/** What long work took of this turn of the loop. */
let spentMs = 0

/**
 * Does the work step by step, in as many turns of the event loop as it takes; work that is short is done at once,
 * unless others were first. A step takes a millisecond at most. Results come as they are ready, in any order.
 */
export function inSlices<Result>(work: Iterator<unknown, Result>): Promise<Result> {
  return new Promise<Result>((resolve, reject) => {
    jobs.push({ work, resolve: resolve as Job['resolve'], reject })
    run()
  })
}

/** Gives each job its turn until the time is over. */
function run(): void {
  const from = performance.now()
  let now = from
  while (jobs.length > 0 && spentMs + now - from < SLICE_MS) {
    const job = jobs.shift() as Job
    if (!isDone(job)) jobs.push(job)
    now = performance.now()
  }
  spentMs += now - from
  schedule()
}

function schedule(): void {
  if (isScheduled) return
  isScheduled = true
  setImmediate(() => {
    isScheduled = false
    spentMs = 0
    if (jobs.length > 0) run()
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
