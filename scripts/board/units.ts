/** Three digits at most, as Grafana writes them. */
const digits = (value: number, decimals?: number): string =>
  decimals === undefined ? `${Number(value.toPrecision(3))}` : value.toFixed(decimals)

const steps = (units: [least: number, name: string][]) => (value: number, decimals?: number) => {
  const [least, name] = units.find(([one]) => Math.abs(value) >= one) ?? (units.at(-1) as [number, string])
  return `${digits(value / least, decimals)}${name}`
}
const SHORT = steps([
  [1e9, ' Bil'],
  [1e6, ' Mil'],
  [1e3, ' K'],
  [1, ''],
])
const BYTES = steps([
  [2 ** 30, ' GiB'],
  [2 ** 20, ' MiB'],
  [2 ** 10, ' KiB'],
  [1, ' B'],
])
const SECONDS = steps([
  [60, ' min'],
  [1, ' s'],
  [1e-3, ' ms'],
  [1e-6, ' µs'],
])

/** A value in one of the units that the board uses. */
export function amount(value: number, unit: string, decimals?: number): string {
  if (!Number.isFinite(value)) return '–'
  if (value === 0) return '0'
  if (unit === 's') return SECONDS(value, decimals)
  if (unit === 'bytes') return BYTES(value, decimals)
  if (unit === 'percentunit') return `${digits(value * 100, decimals)} %`
  const rate = unit === 'ops' ? ' ops/s' : unit === 'reqps' ? ' req/s' : ''
  return `${SHORT(value, decimals)}${rate}`
}
