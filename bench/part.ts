import type { Bench } from './bench.ts'
import type { Measured } from './measured.ts'
import { percentilesOf } from './measured.ts'
import type { Sizes } from './sizes.ts'

export interface Part {
  name: string
  /** One line for --list. */
  summary: string
  /** Runs only if it is named. */
  isExtra?: true
  /** Milliseconds that the part would wait if it started now. Another part may use the time. */
  idleMs?: (sizes: Sizes) => number
  run: (bench: Bench, report: PartReport) => Promise<void>
}

/** A line of the table. Columns that do not apply are undefined. */
export interface Row {
  what: string
  perSecond?: number
  /** Ratio to the yardstick. */
  ratio?: number
  p50?: number
  p99?: number
  p999?: number
  clientCpu?: number | null
  serverCpu?: number | null
  databaseCpu?: number | null
  note?: string
  /** Not in the table, but written to the file of results. */
  detail?: object
}

/** The results of a part. Filled during the run, so that results before an error are kept. */
export class PartReport {
  /** Figures by name. Null if a figure cannot be measured on this machine. */
  readonly figures: Record<string, number | null> = {}
  readonly rows: Row[] = []
  /** Printed below the table of measurements. */
  readonly texts: string[] = []
  readonly #part: string
  readonly #print: (line: string) => void

  constructor(part: string, print: (line: string) => void) {
    this.#part = part
    this.#print = print
  }

  figure(key: string, value: number | null): void {
    this.figures[key] = value === null ? null : Number(value.toPrecision(5))
    this.#print(`  ${key} = ${this.figures[key]}`)
  }

  /** In milliseconds, as `NAME_p99_ms_WHEN` and so on. */
  latencyFigures(name: string, when: string, { latency }: Measured): void {
    for (const [percentile, ms] of Object.entries(percentilesOf(latency))) {
      this.figure(`${name}_${percentile}_ms_${when}`, ms)
    }
  }

  /** Records the highest value, in MB. Null if the system does not report it. */
  peakMemory(server: string, mb: number | null): void {
    const key = `${this.#part}_${server}_rss_mb`
    const before = this.figures[key] ?? 0
    this.figures[key] = mb === null ? null : Math.max(before, Math.round(mb))
  }

  text(text: string): void {
    this.texts.push(text)
  }

  row(row: Row): void {
    this.rows.push(row)
  }

  measured(what: string, measured: Measured, extra: Partial<Row> = {}): void {
    const { perSecond, clientCpu, serverCpu, databaseCpu } = measured
    const row = {
      what,
      perSecond,
      clientCpu,
      serverCpu,
      databaseCpu,
      ...percentilesOf(measured.latency),
      ...extra,
    }
    this.rows.push(row)
    const ms = (value: number) => value.toFixed(value < 10 ? 2 : 1)
    this.#print(
      `  ${what}: ${Math.round(perSecond).toLocaleString('en')}/s, p50 ${ms(row.p50)} ms, p99 ${ms(row.p99)} ms`,
    )
  }
}
