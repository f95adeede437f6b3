import type { SingleBar } from 'cli-progress'
import type { Header } from '../../backup/backup-format.ts'
import { progressBar } from '../../platform/terminal/table.ts'
import { PROGRESS_INTERVAL_MS } from '../limits.ts'
import { reportTo } from '../run-command.ts'

/** The units and their sizes. */
const UNITS = { MB: 1_000_000, claims: 1 }

/** Shows progress on standard error: a bar on a terminal, otherwise a line every PROGRESS_INTERVAL_MS. */
export class Progress {
  readonly #label: string
  readonly #report = reportTo(process.stderr)
  #unit: keyof typeof UNITS = 'MB'
  #bar: SingleBar | null = null
  #total = 0
  #done = 0
  #reportedAt = performance.now()

  constructor(label: string) {
    this.#label = label
  }

  /** @param total estimated bytes or claims; 0 if unknown */
  begin(total: number, unit: keyof typeof UNITS = 'MB'): void {
    this.end()
    this.#done = 0
    this.#total = total
    this.#unit = unit
    if (!process.stderr.isTTY || total === 0) return
    this.#bar = progressBar(
      `{label} {bar} {percentage} %  {value}/{total} ${unit}  {eta_formatted} left  {note}`,
    )
    this.#bar.start(this.#inUnits(total), 0, { label: this.#label, note: '' })
  }

  advance(by: number): void {
    this.#done += by
    this.#bar?.update(this.#inUnits(this.#done))
    if (this.#bar || performance.now() - this.#reportedAt < PROGRESS_INTERVAL_MS) return
    this.#reportedAt = performance.now()
    const percentage =
      this.#total > 0 ? `, ${Math.min(100, Math.floor((100 * this.#done) / this.#total))} %` : ''
    this.#report(
      `${this.#label}: ${this.#inUnits(this.#done).toLocaleString('en')} ${this.#unit}${percentage}`,
    )
  }

  /** Shows the name of the current step. */
  note(step: string): void {
    if (this.#bar) this.#bar.update({ note: step })
    else this.#report(step)
  }

  end(): void {
    this.#bar?.stop()
    this.#bar = null
  }

  #inUnits(count: number): number {
    return Math.round(count / UNITS[this.#unit])
  }
}

/** Describes the exact point that a restore of the backup recovers to. */
export function contentsInWords({ takenAt, claims, lastEvent, lastNotification }: Header): string {
  return [
    `It contains everything that was acknowledged before ${takenAt.toISOString()}:`,
    `  claims and candidates  ${claims.toLocaleString('en')}`,
    `  last event             ${lastEvent ? `${lastEvent.at.toISOString()}, ${lastEvent.event} of the claim ${lastEvent.claim}` : 'none'}`,
    `  last notification      ${lastNotification ? `${lastNotification.at.toISOString()}, number ${lastNotification.number}` : 'none'}`,
  ].join('\n')
}
