import type { ServiceInstance } from './bench.ts'

/**
 * Waits for the wanted number of transitions and returns their duration in seconds, from the server's log. A check that takes
 * longer than a minute has several lines. If the lines have no duration, the time counts from the whole minute to the last
 * line.
 */
export function waitForTransitions(
  { server }: Pick<ServiceInstance, 'server'>,
  wanted: number,
  checkTime: Date,
  timeoutMs: number,
): Promise<number> {
  return new Promise((resolve, reject) => {
    const sum = { transitions: 0, durationMs: 0 }
    const timer = setTimeout(() => {
      stop()
      reject(new Error(`the check completed ${sum.transitions} of ${wanted} transitions in time`))
    }, timeoutMs)
    const stop = server.onLogLine(({ msg, transitions, durationMs, time }) => {
      if (msg !== 'scheduled check') return
      sum.transitions += Number(transitions)
      sum.durationMs += Number(durationMs)
      if (sum.transitions < wanted) return
      clearTimeout(timer)
      stop()
      const wholeMs = Number(time) - checkTime.getTime()
      resolve((Number.isNaN(sum.durationMs) ? wholeMs : sum.durationMs) / 1000)
    })
  })
}
