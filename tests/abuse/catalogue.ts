import type { Attack } from './attack.ts'
import { bodyAttacks } from './attacks/bodies.ts'
import { clockAttacks } from './attacks/clocks.ts'
import { connectionAttacks } from './attacks/connections.ts'
import { heavyValues } from './attacks/heavy-values.ts'
import { largeAnswers } from './attacks/large-answers.ts'
import { longWork } from './attacks/long-work.ts'
import { metadataAttacks } from './attacks/metadata.ts'
import { notificationAttacks } from './attacks/notifications.ts'
import { protocolAttacks } from './attacks/protocol.ts'
import { recordAttacks } from './attacks/records.ts'
import { signInAttacks } from './attacks/sign-in.ts'
import { streams } from './attacks/streams.ts'
import { unreadAttacks } from './attacks/unread.ts'
import { webhookAttacks } from './attacks/webhooks.ts'

/** What the measurement shows by itself. */
const nobody: Attack = {
  name: 'nobody',
  description: 'nobody attacks',
  run: async () => {},
}

/** What goes together. */
export const FAMILIES: Readonly<Record<string, readonly Attack[]>> = {
  'answers that are not read': unreadAttacks,
  'large answers': largeAnswers,
  connections: connectionAttacks,
  protocol: protocolAttacks,
  streams,
  'long work': longWork,
  bodies: bodyAttacks,
  'heavy values': heavyValues,
  'signing in': signInAttacks,
  clocks: clockAttacks,
  metadata: metadataAttacks,
  notifications: notificationAttacks,
  webhooks: webhookAttacks,
  records: recordAttacks,
}

/** Every attack that the service is held to: the suite runs each for a moment, the benchmark measures each. */
export const ATTACKS: readonly Attack[] = [nobody, ...Object.values(FAMILIES).flat()]
