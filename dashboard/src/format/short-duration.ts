const NUMBER = new Intl.NumberFormat('en')

/** A short text of the two largest units: "3d 04h", "12m 05s". */
export function shortDuration(milliseconds: number): string {
  const seconds = Math.max(0, Math.round(milliseconds / 1000))
  const [d, h, m, s] = [
    Math.floor(seconds / 86_400),
    Math.floor(seconds / 3_600) % 24,
    Math.floor(seconds / 60) % 60,
    seconds % 60,
  ]
  const two = (count: number) => String(count).padStart(2, '0')
  if (d > 0) return d > 99 || h === 0 ? `${NUMBER.format(d)}d` : `${d}d ${two(h)}h`
  if (h > 0) return m === 0 ? `${h}h` : `${h}h ${two(m)}m`
  return m > 0 ? `${m}m ${two(s)}s` : `${s}s`
}

/** A short text: "87 ms", "2.4 s". */
export const milliseconds = (ms: number): string =>
  ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`
