/* The embedded database: what several test files use of the source. When a source file moves, one line changes here. */

export { type Binaries, findBinaries } from '../../../src/storage/embedded/binaries.ts'
export { destroyEmbeddedDatabase } from '../../../src/storage/embedded/destroy-embedded-database.ts'
export { type RunAs, spawnAs } from '../../../src/storage/embedded/machine/run-as.ts'
export { SUPERUSER } from '../../../src/storage/embedded/names.ts'
export { openEmbeddedDatabase } from '../../../src/storage/embedded/open-embedded-database.ts'
