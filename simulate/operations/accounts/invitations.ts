import { type Client, outcomeOf, parse } from '../../clients/client.ts'
import { now } from '../../clients/http-connection.ts'
import type { Account, Invitation } from '../../clients/records.ts'
import { assert } from '../../model/finding.ts'
import type { JsonObject } from '../../model/json.ts'
import { MonotonicRegister } from '../../model/monotonic-register.ts'

const LOOKUP_INTERVAL_MS = 1_500

/** Requires a session of the account. */
export async function invite(client: Client, account: Account): Promise<void> {
  const { random, world } = client
  world.count('invite')
  const { cookie } = account
  const email = random.chance(0.3) ? `${world.nextName(`Person-${account.name}`)}@example.com` : null
  const body = JSON.stringify({ email })
  const reply = await client.send(account, { method: 'POST', path: '/v1/invitations', body, cookie })
  if (reply.kind !== 'answer' || reply.status >= 500) return
  assert(
    reply.status === 201,
    () => `an invitation was answered ${reply.status}`,
    () => reply,
  )
  const { id, url } = parse(reply.text) as { id: string; url: string }
  const [, key = ''] = url.split('#key=')
  const end = new MonotonicRegister(`the end of the invitation ${id}`, 0)
  world.people.invite({ id, key, email, account, end, withdrawal: null, withdrawals: 0, unknown: 0, used: 0 })
}

/** Anyone with the key may look up the invitation. */
export async function lookUpInvitation(client: Client): Promise<void> {
  const { random, world } = client
  const { invitations } = world.people
  if (invitations.length === 0 || !world.people.isDue('look up', LOOKUP_INTERVAL_MS, now())) return
  const invitation = random.pick(invitations)
  world.count('look up invitation')
  const observe = invitation.end.read()
  const body = JSON.stringify({ key: invitation.key })
  const reply = await client.send(null, { method: 'POST', path: '/api/invitations/lookup', body })
  if (reply.kind !== 'answer' || reply.status >= 500 || reply.status === 429) return
  observe(reply.status === 200 ? 0 : 1)
  const isSameRecord =
    reply.status === 404 || parse(reply.text).email === (invitation.email?.toLowerCase() ?? null)
  assert(
    isSameRecord,
    () => `the lookup of an invitation answered ${reply.status}`,
    () => ({ invitation, reply }),
  )
}

/** The link stops working at once. A used invitation can be revoked too, but only once. */
export async function withdrawInvitation(client: Client, invitation: Invitation): Promise<void> {
  client.world.count('revoke invitation')
  const { account, id, end } = invitation
  invitation.withdrawals++
  const withdrawal = { sentAt: now(), answeredAt: Infinity }
  invitation.withdrawal ??= withdrawal
  const { done } = end.write(1)
  const { cookie } = account
  const reply = await client.send(account, { method: 'DELETE', path: `/v1/invitations/${id}`, cookie })
  const outcome = outcomeOf(reply)
  if (reply.kind !== 'answer' || outcome === 'unknown' || reply.status >= 500) return
  const isExpected = reply.status === 204 || (reply.status === 404 && invitation.withdrawals > 1)
  assert(
    isExpected,
    () => `the revocation of an invitation was answered ${reply.status}`,
    () => ({ invitation, reply }),
  )
  done()
  invitation.withdrawal.answeredAt = Math.min(invitation.withdrawal.answeredAt, reply.answeredAt)
}

/** The invitations that were not revoked, and whether they were used. */
export async function listInvitations(client: Client, account: Account): Promise<void> {
  const { world } = client
  world.count('list invitations')
  const before = world.people.invitations
    .filter((invitation) => invitation.account === account)
    .map((invitation) => ({ invitation, wasUsed: invitation.used > 0 }))
  const { cookie } = account
  const reply = await client.send(account, { method: 'GET', path: '/v1/invitations', cookie })
  if (reply.kind !== 'answer' || reply.status >= 500) return
  const rows = parse(reply.text).data as JsonObject[]
  const byId = new Map(rows.map((row) => [row.id as string, row]))
  assert(
    byId.size === rows.length,
    () => 'the list of invitations shows an invitation twice',
    () => rows,
  )
  for (const { invitation, wasUsed } of before) {
    const { id, withdrawal, used, unknown } = invitation
    const row = byId.get(id)
    const about = () => ({ invitation, row })
    const isOver = withdrawal !== null && withdrawal.answeredAt < reply.sentAt
    if (row === undefined)
      assert(withdrawal !== null, () => `the invitation ${id} is missing in the list`, about)
    else {
      assert(!isOver, () => `the invitation ${id} was revoked, but is listed`, about)
      const mayBeUsed = used + unknown > 0
      const matches = row.used_at === null ? !wasUsed : mayBeUsed
      assert(matches, () => `the invitation ${id} is listed as used at ${row.used_at}`, about)
    }
  }
}
