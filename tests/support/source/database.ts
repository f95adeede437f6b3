/* The database: what several test files use of the source. When a source file moves, one line changes here. */

export { readClock } from '../../../src/storage/database/clock.ts'
export type { Connection, Statement } from '../../../src/storage/database/connection.ts'
export { POOL_SETTINGS } from '../../../src/storage/database/connection-settings.ts'
export { Database, LANES_OF_MACHINE, LEAST_CONNECTIONS } from '../../../src/storage/database/database.ts'
export {
  asDatabaseUnavailable,
  DatabaseUnavailable,
  isPassing,
} from '../../../src/storage/database/database-unavailable.ts'
export type { Borrower } from '../../../src/storage/database/lending/borrower.ts'
export { THE_SERVICE } from '../../../src/storage/database/lending/places.ts'
export { Pool } from '../../../src/storage/database/lending/pool.ts'
export { addressOf } from '../../../src/storage/database/lending/server-address.ts'
export { migrate, OLDEST_POSTGRES } from '../../../src/storage/database/migrate.ts'
export { Distribution } from '../../../src/storage/distribution/distribution.ts'
export { uuidHash, uuidWithin } from '../../../src/storage/distribution/uuid-hash.ts'
export { readLags, readOverdueLag } from '../../../src/storage/operating/lags.ts'
export {
  CODE_VERSION,
  type Migration,
  OWN_MIGRATIONS,
  readMigrations,
} from '../../../src/storage/upgrade/migration-files.ts'
export { readSchemaVersion, whyTooNew } from '../../../src/storage/upgrade/schema-version.ts'
