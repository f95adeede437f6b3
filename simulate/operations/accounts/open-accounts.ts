import type { Client } from '../../clients/client.ts'
import type { Account } from '../../clients/records.ts'
import type { WebhookReceiver } from '../../clients/webhook-receiver.ts'
import type { World } from '../../clients/world.ts'
import type { Testbed } from '../../testbed.ts'
import { createCalendar } from '../calendars.ts'
import { followed } from '../claims/follow-lists.ts'
import { createCustomer } from '../customers.ts'
import { enableEventNotifications, followedFeeds } from '../notifications.ts'
import { createEndpoint } from '../webhooks.ts'
import { createToken, signIn } from './tokens.ts'

/** Creates the accounts with their first records, before any fault. They differ in webhooks and event notifications. */
export async function openAccounts(
  world: World,
  testbed: Testbed,
  client: Client,
  receiver: WebhookReceiver,
  count: number,
): Promise<void> {
  for (let i = 0; i < count; i++) {
    const { token, userId } = await testbed.newAccount()
    const account: Account = {
      name: `a${i}`,
      token,
      userId,
      cookie: '',
      tokens: [],
      customers: [],
      names: new Map(),
      claims: [],
      byAddress: new Map(),
      clocks: [],
      calendars: [],
      schemas: [],
      deletedSchemas: [],
      lists: followed(),
      feeds: followedFeeds(),
      hasEventNotifications: false,
      endpoint: null,
      unknownClaims: 0,
      claimsInProgress: 0,
    }
    await signIn(client, testbed, account)
    world.accounts.push(account)
    if (i % 2 === 0) await createEndpoint(client, account, receiver.newEndpoint(), i % 4 === 2)
    else await enableEventNotifications(client, account)
    for (let n = 0; n < 3; n++) await createToken(client, account)
    for (let n = 0; n < 3; n++) await createCustomer(client, account)
    for (let n = 0; n < 2; n++) await createCalendar(client, account)
  }
}
