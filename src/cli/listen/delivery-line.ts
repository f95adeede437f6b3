import { styleText } from 'node:util'
import { NOTIFICATION_TYPES } from '../../core/notification-types.ts'
import { printable } from '../../platform/terminal/printable.ts'
import type { Notification } from './notification.ts'
import type { Attempt } from './send-delivery.ts'

const TYPE_WIDTH = Math.max(...NOTIFICATION_TYPES.map((type) => type.length))
const MAX_ALIAS_LENGTH = 40

/**
 * What a person sees of an attempt, on one line.
 * @param next what follows if it failed
 */
export function deliveryLine(
  at: Date,
  number: number,
  { type, subject }: Notification,
  { succeeded, words, durationMs }: Attempt,
  next: string,
): string {
  const styled = (style: 'dim' | 'green' | 'red' | 'yellow', text: string) =>
    styleText(style, text, { stream: process.stdout })
  return [
    styled('dim', at.toTimeString().slice(0, 8)),
    `#${number}`,
    printable(type).padEnd(TYPE_WIDTH),
    printable(shortName(subject)),
    styled(succeeded ? 'green' : 'red', printable(words)),
    styled('dim', `${durationMs} ms`),
    ...(succeeded ? [] : [styled('yellow', next)]),
  ].join('  ')
}

/** As the dashboard shortens them: the beginning of an id is its time, so its end tells more. */
function shortName(name: string): string {
  if (/^[0-9a-f]{8}-[0-9a-f-]{27}$/i.test(name)) return `${name.slice(0, 8)}…${name.slice(-6)}`
  return name.length > MAX_ALIAS_LENGTH ? `${name.slice(0, MAX_ALIAS_LENGTH - 1)}…` : name
}
