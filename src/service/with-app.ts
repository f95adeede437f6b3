import type { App } from '../app.ts'
import { type CommandOptions, withDatabase } from '../platform/database/with-database.ts'
import { createApp } from './create-app.ts'

/** For a short command that does what a server does. */
export const withApp = <T>(options: CommandOptions, work: (app: App) => Promise<T>): Promise<T> =>
  withDatabase(options, ({ db }) => work(createApp(db)))
