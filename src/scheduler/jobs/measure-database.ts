import type { App } from '../../app/app.ts'
import { measureDatabase } from '../../app/measures/measure-database.ts'
import type { Job } from '../scheduler.ts'

/** Every ten seconds, at no whole minute. */
export const measureDatabaseJob = (app: App): Job => ({
  name: 'measuring the database',
  pattern: '5-55/10 * * * * *',
  run: () => measureDatabase(app),
})
