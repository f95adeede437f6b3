import type { Client } from '../clients/client.ts'
import { parse } from '../clients/client.ts'
import type { Account, World } from '../clients/world.ts'
import { demand } from '../model/finding.ts'
import type { Stage } from '../stage.ts'
import { followed } from './follow-lists.ts'
import { createToken, signIn } from './tokens.ts'

/** Accounts with a few customers each, before any harm is done. */
export async function openAccounts(world: World, stage: Stage, client: Client, count: number): Promise<void> {
  for (let i = 0; i < count; i++) {
    const { token, userId } = await stage.newAccount()
    const account: Account = {
      name: `a${i}`,
      token,
      userId,
      cookie: '',
      tokens: [],
      customers: [],
      claims: [],
      byAddress: new Map(),
      clocks: [],
      schemas: [],
      lists: followed(),
      unknownClaims: 0,
    }
    await signIn(client, stage, account)
    world.accounts.push(account)
    for (let n = 0; n < 3; n++) await createToken(client, account)
    for (let n = 0; n < 3; n++) await createCustomer(client, account)
  }
}

export async function createCustomer(client: Client, account: Account): Promise<void> {
  client.world.count('create customer')
  const externalId = client.world.nextName(`customer ${account.name}`)
  const reply = await client.send(account, {
    method: 'POST',
    path: '/v1/customers',
    body: JSON.stringify({ external_id: externalId }),
  })
  if (reply.is !== 'answer' || reply.status >= 500) return
  demand(
    reply.status === 201,
    () => `a customer's creation was answered ${reply.status}`,
    () => reply,
  )
  const { id } = parse(reply.text)
  account.customers.push({ id: id as string, externalId, sentAt: reply.sentAt, answeredAt: reply.answeredAt })
}
