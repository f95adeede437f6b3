import type { App } from '../../app/app.ts'
import { forgetExpired } from '../../app/removal/forget-expired.ts'
import type { Job } from '../scheduler.ts'

/** Once an hour, not at a whole minute: that is when the checks run. Safe with any number of servers. */
export function forgetExpiredJob(app: App): Job {
  return { name: 'forgetting what has expired', pattern: '30 17 * * * *', run: () => forgetExpired(app) }
}
