/** Of each run, so that a server that stops does not wait for it. */
const LONGEST_MS = 2_000

/** For work that is done piece by piece, run after run: says when this run has had its time. */
export function shortRun(): () => boolean {
  const end = performance.now() + LONGEST_MS
  return () => performance.now() >= end
}
