import { createHash, timingSafeEqual } from 'node:crypto'
import { ServiceError } from '../../kernel/errors.ts'
import type { TypedServer } from '../../platform/http/typed-server.ts'
import { METRICS_TYPE } from '../../platform/observability/metrics.ts'

export interface MetricsAccess {
  /** What the caller must bring. */
  token: string
  read: () => Promise<string>
}

/** For Prometheus, on the port of the callers: with the operator's token alone. Which accounts there are makes no difference. */
export function addMetrics(server: TypedServer, { token, read }: MetricsAccess): void {
  const expected = digest(`Bearer ${token}`)
  server.get('/metrics', { schema: { hide: true } }, async ({ headers }, reply) => {
    if (!timingSafeEqual(digest(headers.authorization ?? ''), expected)) {
      throw new ServiceError('TOKEN_INVALID', 'This needs the token of the metrics.', {
        headers: { 'WWW-Authenticate': 'Bearer' },
      })
    }
    return reply
      .type(METRICS_TYPE)
      .header('Cache-Control', 'no-store')
      .send(await read())
  })
}

const digest = (text: string) => createHash('sha256').update(text).digest()
