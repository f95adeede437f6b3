import type { App } from '../app.ts'
import { listAllEndpoints, removeDeliveries, removeEndpoint } from '../webhooks/webhook-removal-store.ts'
import { OldRecords } from './old-records.ts'

interface Endpoint {
  id: string
  isDeleted: boolean
}

/** Deliveries, which go endpoint by endpoint, and all that is left of deleted endpoints. */
export function oldDeliveries(app: App, keptDays: number): OldRecords<Endpoint> {
  const db = app.db.checks
  return new OldRecords<Endpoint>(app, keptDays, {
    listOwners: (after, count) => listAllEndpoints(db, after, count),
    removeBatch: async ({ id, isDeleted }, before) => {
      const removed = await removeDeliveries(db, id, isDeleted ? null : before)
      if (removed === 0 && isDeleted) await removeEndpoint(db, id)
      return removed
    },
  })
}
