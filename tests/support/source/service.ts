/* The service as a whole: what several test files use of the source. When a source file moves, one line changes here. */

export type { App } from '../../../src/app/app.ts'
export { createApp, partsOf } from '../../../src/app/create-app.ts'
export { Pace } from '../../../src/app/pace.ts'
export { type Part, startParts, stopParts } from '../../../src/app/part.ts'
export { forgetExpired } from '../../../src/app/removal/forget-expired.ts'
export { UnusedContracts } from '../../../src/app/removal/unused-contracts.ts'
export { createLog } from '../../../src/cli/log.ts'
export { readConfig, SETTINGS } from '../../../src/config.ts'
export { RateCounts, rateCounts } from '../../../src/http/bounds/rate-counts.ts'
export { CATALOGUE } from '../../../src/metrics/catalogue.ts'
export { STOP_MS } from '../../../src/service/start-service.ts'
