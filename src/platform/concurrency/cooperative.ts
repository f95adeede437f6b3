/**
 * Cooperative execution: long synchronous tasks share the event loop with all requests.
 *
 * Why: one thread serves all requests. Without it, a simulation of 1 MiB holds the thread for seconds.
 * What: a task is an iterator. Each step of the iterator is a point at which the task can be suspended.
 * States: a task is new (no step taken), started (suspended after a step), or done (its promise is settled).
 * Invariants: new and started tasks alternate, so a short task does not wait for all long tasks. A failing task fails alone.
 * The first tick is the caller's own: a short task is done before `runCooperatively` returns, unless other tasks wait.
 * Limits: `COOPERATIVE_*` in `limits.ts`. A step cannot be interrupted, so a step takes 1 to 2 ms at most.
 */
import { COOPERATIVE_MIN_TICK_MS, COOPERATIVE_SLICE_MS, COOPERATIVE_TICK_MS } from './limits.ts'

interface Task {
  steps: Iterator<unknown, unknown>
  resolve: (result: unknown) => void
  reject: (error: unknown) => void
}

const newTasks: Task[] = []
const startedTasks: Task[] = []
let isNewNext = true
let isScheduled = false
/** Time that tasks used in this tick. */
let usedMs = 0
/** By `performance.now()`. Other work of the tick counts too, for example what callers do with results. */
let tickEndsAt = 0

/** Resolves with the return value of the iterator. Tasks end in any order. */
export function runCooperatively<Result>(steps: Iterator<unknown, Result>): Promise<Result> {
  return new Promise<Result>((resolve, reject) => {
    newTasks.push({ steps, resolve: resolve as Task['resolve'], reject })
    runTick()
  })
}

/** For tasks so short that suspending would cost more than it saves. */
export function runSync<Result>(steps: Iterator<unknown, Result>): Result {
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
  }
}

function runTick(): void {
  let now = performance.now()
  if (!isScheduled) {
    usedMs = 0
    tickEndsAt = now + COOPERATIVE_TICK_MS
  }
  while (usedMs < COOPERATIVE_MIN_TICK_MS || now < tickEndsAt) {
    const task = takeNext()
    if (!task) break
    if (!runSlice(task)) startedTasks.push(task)
    const from = now
    now = performance.now()
    usedMs += now - from
  }
  scheduleTick()
}

function takeNext(): Task | undefined {
  isNewNext = !isNewNext
  return isNewNext ? (newTasks.shift() ?? startedTasks.shift()) : (startedTasks.shift() ?? newTasks.shift())
}

function scheduleTick(): void {
  if (isScheduled) return
  isScheduled = true
  setImmediate(() => {
    isScheduled = false
    if (newTasks.length + startedTasks.length > 0) runTick()
  })
}

/** Returns whether the task is done. */
function runSlice({ steps, resolve, reject }: Task): boolean {
  const endsAt = performance.now() + COOPERATIVE_SLICE_MS
  try {
    do {
      const step = steps.next()
      if (!step.done) continue
      resolve(step.value)
      return true
    } while (performance.now() < endsAt)
  } catch (error) {
    reject(error)
    return true
  }
  return false
}
