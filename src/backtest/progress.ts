import type { Options } from 'cli-progress'
import { progressBar } from '../platform/terminal/progress-bar.ts'

const MEGABYTE = 1_000_000
const FORMAT = '{label} {bar} {percentage} %  {value}/{total} MB  {eta_formatted} left'
const OPTIONS: Options = {
  formatValue: (value, _options, kind) =>
    kind === 'value' || kind === 'total' ? value.toFixed(1) : `${value}`,
}

/** Shows how much of the log was read. */
export interface Progress {
  start(label: string): void
  update(bytes: number): void
  end(): void
}

/** A bar on standard error; nothing at all if that is no terminal. */
export function showProgress(totalBytes: number): Progress {
  if (!process.stderr.isTTY) return { start: () => {}, update: () => {}, end: () => {} }
  const bar = progressBar(FORMAT, OPTIONS)
  return {
    start: (label) => bar.start(totalBytes / MEGABYTE, 0, { label }),
    update: (bytes) => bar.update(bytes / MEGABYTE),
    end: () => bar.stop(),
  }
}
