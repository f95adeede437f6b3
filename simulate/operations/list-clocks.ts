import type { Client } from '../clients/client.ts'
import type { Account } from '../clients/records.ts'
import { sawThere, sawTime } from '../model/clock-story.ts'
import { demand } from '../model/finding.ts'
import { walk } from './claims/walk-list.ts'

/** Each clock that is there once, as it stood at some moment of the request. */
export async function listClocks(client: Client, account: Account): Promise<void> {
  client.world.count('list clocks')
  const before = [...account.clocks]
  const order = client.random.pick(['asc', 'desc'])
  const found = await walk(client, account, '/v1/test_clocks', { order })
  if (!found) return
  const ids = found.shown.map(({ row }) => row.id as string)
  const about = () => ({ order, ids })
  const places = new Map(ids.map((id, place) => [id, place]))
  demand(places.size === ids.length, () => 'a list shows a clock twice', about)
  for (const clock of before) {
    const shown = found.shown[places.get(clock.id) ?? -1]
    demand(shown !== undefined || clock.isDeleted, () => `${clock.name} is missing in a list`, about)
    if (!shown) continue
    const { row, sentAt, answeredAt } = shown
    demand(row.user_id === account.userId, () => `${clock.name} is listed as another account's`, about)
    const time = Date.parse(row.frozen_time as string)
    clock.latest = Math.max(clock.latest, time)
    sawTime(clock, `${client.name} lists it`, sentAt, answeredAt, time)
    sawThere(clock, `${client.name} lists it`, sentAt, answeredAt)
  }
}
