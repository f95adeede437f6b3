import assert from 'node:assert/strict'
import { removeNotifications } from '../../../src/notifications/notification-removal-store.ts'
import { assertError } from '../../support/assert-error.ts'
import { newClaim } from '../../support/new-records.ts'
import type { Operation } from '../fault-table.ts'

const removingNotifications: Operation = {
  name: 'removing old notifications',
  begin: async ({ service: { app, newAccount } }) => {
    const api = await newAccount()
    await api.patch('/v1/notification_settings', { event_recorded: true })
    const { user_id: userId } = await newClaim(api)
    const start = (await api.get('/v1/notifications?limit=1')).body
    const { id } = await newClaim(api)
    await api.post(`/v1/claims/${id}/events`, { type: 'progress' })
    const goOn = (types = '') => api.get(`/v1/notifications?after=${start.next_cursor}${types}`)
    const events = '&types=claim.event_recorded'
    const remove = () => removeNotifications(app.db.checks, userId, new Date('2999-01-01'))
    return {
      run: () => remove().catch(() => {}),
      finish: async () => {
        // Either all notifications remain, or all were removed and a reader that missed notifications gets an error.
        for (const { status, body } of [await goOn(), await goOn(events)])
          if (status === 200) assert.equal(body.data.length, 1)
        await remove()
        assertError(await goOn(), 410, 'CURSOR_EXPIRED')
        assertError(await goOn(events), 410, 'CURSOR_EXPIRED')
        const left = (await api.get('/v1/notifications')).body
        assert.deepEqual([left.data, left.has_more], [[], false])
      },
    }
  },
}

export const NOTIFICATION_OPERATIONS: readonly Operation[] = [removingNotifications]
