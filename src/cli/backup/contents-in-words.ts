import type { Header } from '../../backup/backup-format.ts'

/** The exact point that a backup recovers to, in lines. */
export function contentsInWords({ takenAt, claims, lastEvent, lastNotification }: Header): string {
  return [
    `It holds everything that was acknowledged before ${takenAt.toISOString()}:`,
    `  claims and candidates  ${claims.toLocaleString('en')}`,
    `  last event             ${lastEvent ? `${lastEvent.at.toISOString()}, ${lastEvent.event} of the claim ${lastEvent.claim}` : 'none'}`,
    `  last notification      ${lastNotification ? `${lastNotification.at.toISOString()}, number ${lastNotification.number}` : 'none'}`,
  ].join('\n')
}
