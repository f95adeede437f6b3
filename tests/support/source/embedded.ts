/* The embedded database: what tests use of the source. If a file of it moves, one line changes here and none in the tests. */

export { type Binaries, findBinaries } from '../../../src/storage/embedded/binaries.ts'
export { destroyEmbeddedDatabase } from '../../../src/storage/embedded/destroy-embedded-database.ts'
export { type RunAs, spawnAs } from '../../../src/storage/embedded/machine/run-as.ts'
export { SUPERUSER } from '../../../src/storage/embedded/names.ts'
export { openEmbeddedDatabase } from '../../../src/storage/embedded/open-embedded-database.ts'
