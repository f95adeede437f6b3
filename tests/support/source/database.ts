/* The database: what several test files use of the source. When a source file moves, one line changes here. */

export { readLags, readOverdueLag } from '../../../src/checks/lag-store.ts'
export { Distribution } from '../../../src/platform/database/citus/distribution.ts'
export { uuidHash } from '../../../src/platform/database/citus/uuid-hash.ts'
export { readClock } from '../../../src/platform/database/clock.ts'
export type { Connection, Statement } from '../../../src/platform/database/connection.ts'
export { POOL_SETTINGS } from '../../../src/platform/database/connection-settings.ts'
export { Database } from '../../../src/platform/database/database.ts'
export {
  asDatabaseUnavailable,
  DatabaseUnavailable,
  isTransient,
} from '../../../src/platform/database/database-unavailable.ts'
export { MAX_SUBMISSION_GROUPS_PER_NODE, MIN_CONNECTIONS } from '../../../src/platform/database/limits.ts'
export { migrate, OLDEST_POSTGRES } from '../../../src/platform/database/migrate/migrate.ts'
export {
  CODE_VERSION,
  type Migration,
  OWN_MIGRATIONS,
  readMigrations,
} from '../../../src/platform/database/migrate/migration-files.ts'
export {
  incompatibilityReason,
  readSchemaVersion,
} from '../../../src/platform/database/migrate/schema-version.ts'
export { Pool } from '../../../src/platform/database/pool/pool.ts'
export type { PooledConnection } from '../../../src/platform/database/pool/pooled-connection.ts'
export { SERVICE_ACCOUNT } from '../../../src/platform/database/pool/pooled-connection.ts'
export { parseServerAddress } from '../../../src/platform/database/pool/server-address.ts'
