import type { App } from '../../app/app.ts'
import { sumUpResolutions } from '../../app/check/sum-up-resolutions.ts'
import type { Job } from '../scheduler.ts'

/** Between the scheduled checks, which it would hold up for a moment. */
export function sumUpResolutionsJob(app: App): Job {
  return { name: 'sums of resolutions', pattern: '40 */5 * * * *', run: () => sumUpResolutions(app) }
}
