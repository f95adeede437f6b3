/* The service as a whole: what several test files use of the source. When a source file moves, one line changes here. */

export type { App } from '../../../src/app.ts'
export { readConfig, SETTINGS } from '../../../src/config/config.ts'
export { UnusedContracts } from '../../../src/contracts/unused-contracts.ts'
export { type Lifecycle, startAll, stopAll } from '../../../src/kernel/start-stop.ts'
export { OverviewCache } from '../../../src/overview/overview-cache.ts'
export { AdaptiveThrottle } from '../../../src/platform/concurrency/adaptive-throttle.ts'
export { RateCounts, rateCounts } from '../../../src/platform/http/admission/rate-limit.ts'
export { CATALOGUE } from '../../../src/platform/observability/metric-catalogue.ts'
export { createLog } from '../../../src/platform/terminal/log.ts'
export { forgetExpired } from '../../../src/retention/retention-jobs.ts'
export { createApp, lifecyclesOf } from '../../../src/service/create-app.ts'
export { STOP_TIMEOUT_MS } from '../../../src/service/limits.ts'
