import { Presets, SingleBar } from 'cli-progress'
import { duration } from '../../src/backtest/report/figures.ts'

export interface Phase {
  /** Such as "submitting events". */
  label: string
  total: number
  /** Whether items a second mean anything. */
  hasRate: boolean
}

/** Tells the count of items done so far. */
export type OnProgress = (done: number) => void

/** Runs a part of the work under a progress bar on standard error, or between two lines where that is a file. */
export async function runPhase<T>(
  phase: Phase,
  work: (onProgress: OnProgress) => Promise<T>,
): Promise<{ result: T; seconds: number }> {
  const startedAt = performance.now()
  const seconds = () => (performance.now() - startedAt) / 1000
  const display = process.stderr.isTTY ? startBar(phase, seconds) : startLines(phase, seconds)
  try {
    const result = await work(display.onProgress)
    return { result, seconds: seconds() }
  } finally {
    display.end()
  }
}

interface Display {
  onProgress: OnProgress
  end: () => void
}

function startBar({ label, total, hasRate }: Phase, seconds: () => number): Display {
  const bar = new SingleBar(
    {
      format: `${label.padEnd(22)} {bar} {value}/{total}  {time}`,
      // Ctrl-C is ours to handle, and a run that it ends must not leave the terminal without line wrapping.
      gracefulExit: false,
      linewrap: null,
      barsize: 30,
      formatValue: (value, _options, kind) =>
        kind === 'value' ? `${value}`.padStart(`${total}`.length) : `${value}`,
    },
    Presets.shades_classic,
  )
  let done = 0
  const time = () => `${duration(seconds() * 1000)}${hasRate ? rate(done, seconds()) : ''}`
  bar.start(total, 0, { time: time() })
  // Without progress too: the time goes on.
  const timer = setInterval(() => bar.update(done, { time: time() }), 200)
  return {
    onProgress: (count) => {
      done = count
    },
    end: () => {
      clearInterval(timer)
      bar.update(done, { time: time() })
      bar.stop()
    },
  }
}

function startLines({ label, total, hasRate }: Phase, seconds: () => number): Display {
  let done = 0
  console.error(`${label}: ${total}`)
  return {
    onProgress: (count) => {
      done = count
    },
    end: () => {
      const howFast = hasRate ? rate(done, seconds()) : ''
      console.error(`${label}: ${done} of ${total} in ${duration(seconds() * 1000)}${howFast}`)
    },
  }
}

const rate = (done: number, seconds: number) => `, ${Math.round(done / Math.max(seconds, 0.001))}/s`
