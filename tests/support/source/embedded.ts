/* The embedded database: what several test files use of the source. When a source file moves, one line changes here. */

export { type Binaries, findBinaries } from '../../../src/platform/database/embedded/binaries.ts'
export { destroyEmbeddedDatabase } from '../../../src/platform/database/embedded/destroy-embedded-database.ts'
export { type RunAs, spawnAs } from '../../../src/platform/database/embedded/machine/run-as.ts'
export { SUPERUSER } from '../../../src/platform/database/embedded/names.ts'
export { openEmbeddedDatabase } from '../../../src/platform/database/embedded/open-embedded-database.ts'
