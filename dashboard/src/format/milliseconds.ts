/** A short text: "87 ms", "2.4 s". */
export const milliseconds = (ms: number): string =>
  ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`
