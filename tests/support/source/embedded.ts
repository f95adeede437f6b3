/* The embedded database: what several test files use of the source. When a source file moves, one line changes here. */

export { type Binaries, findBinaries } from '../../../src/platform/database/embedded/binaries.ts'
export { SUPERUSER } from '../../../src/platform/database/embedded/create-cluster.ts'
export {
  destroyEmbeddedDatabase,
  openEmbeddedDatabase,
} from '../../../src/platform/database/embedded/open-embedded-database.ts'
export { type RunAs, spawnAs } from '../../../src/platform/database/embedded/run-as.ts'
