import { type Options, Presets, SingleBar } from 'cli-progress'

/** A bar on standard error, which must be a terminal. @param format as cli-progress has it */
export const progressBar = (format: string, options: Options = {}): SingleBar =>
  new SingleBar(
    {
      format,
      barsize: 30,
      clearOnComplete: true,
      // A run that ends early must not leave the terminal without line wrapping.
      linewrap: null,
      ...options,
    },
    Presets.shades_classic,
  )
