import { type Client, parse } from '../../clients/client.ts'
import type { Account, FollowedList } from '../../clients/records.ts'
import { assert } from '../../model/finding.ts'
import type { JsonObject } from '../../model/json.ts'

export const followed = (): FollowedList[] =>
  ['/v1/customers', '/v1/claims', '/v1/candidates'].map((path) => ({
    path,
    cursor: null,
    seen: new Set(),
    isBusy: false,
  }))

const LIMIT = 5

/** Reads to the current end. */
export async function followLists(client: Client, account: Account): Promise<void> {
  const list = client.random.pick(account.lists)
  if (list.isBusy) return
  list.isBusy = true
  client.world.count('follow list')
  await readOn(client, account, list)
  list.isBusy = false
}

/** False: a response is missing, or the cursor's record was deleted with its clock. */
async function readOn(client: Client, account: Account, list: FollowedList): Promise<boolean> {
  for (let at = list.cursor; ; ) {
    const path = `${list.path}?limit=${LIMIT}${at === null ? '' : `&after=${encodeURIComponent(at)}`}`
    const reply = await client.send(account, { method: 'GET', path }, { mayBeRefused: at !== list.cursor })
    if (reply.kind !== 'answer' || reply.status !== 200) return false
    const rows = parse(reply.text).data as JsonObject[]
    for (const row of rows) list.seen.add(nameOf(row))
    // Records on test clocks may be deleted until the next read.
    const lasting = rows.findLast(({ test_clock_id }) => !test_clock_id)
    if (lasting) list.cursor = nameOf(lasting)
    const last = rows.at(-1)
    if (!last || rows.length < LIMIT) return true
    at = nameOf(last)
  }
}

const nameOf = (row: JsonObject) => (row.candidate_alias ?? row.id) as string

const MAX_TRIES = 10

/** At the end, all created records must have been listed. */
export async function verifyFollowedLists(client: Client, account: Account): Promise<void> {
  for (const list of account.lists) {
    let isRead = false
    for (let i = 0; i < MAX_TRIES && !isRead; i++) isRead = await readOn(client, account, list)
    assert(isRead, () => `${list.path} cannot be read without faults`)
    for (const name of namesOf(account, list.path)) {
      assert(list.seen.has(name), () => `${name} is missing in ${list.path}, although it was read to the end`)
    }
  }
}

function namesOf({ customers, claims }: Account, path: string): string[] {
  if (path === '/v1/customers') return customers.map(({ id }) => id)
  const isOfCandidates = path === '/v1/candidates'
  const live = claims.filter(({ alias, clock }) => clock === null && (alias !== null) === isOfCandidates)
  return live.map(({ address }) => address)
}
