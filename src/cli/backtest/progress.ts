import { Presets, SingleBar } from 'cli-progress'

const MEGABYTE = 1_000_000

/** Shows how much of the log was read. */
export interface Progress {
  start(label: string): void
  update(bytes: number): void
  end(): void
}

/** A bar on standard error; nothing at all if that is no terminal. */
export function showProgress(totalBytes: number): Progress {
  if (!process.stderr.isTTY) return { start: () => {}, update: () => {}, end: () => {} }
  const bar = createBar()
  return {
    start: (label) => bar.start(totalBytes / MEGABYTE, 0, { label }),
    update: (bytes) => bar.update(bytes / MEGABYTE),
    end: () => bar.stop(),
  }
}

function createBar(): SingleBar {
  return new SingleBar(
    {
      format: '{label} {bar} {percentage} %  {value}/{total} MB  {eta_formatted} left',
      formatValue: (value, _options, kind) =>
        kind === 'value' || kind === 'total' ? value.toFixed(1) : `${value}`,
      barsize: 30,
      clearOnComplete: true,
      // A run that ends early must not leave the terminal without line wrapping.
      linewrap: null,
    },
    Presets.shades_classic,
  )
}
