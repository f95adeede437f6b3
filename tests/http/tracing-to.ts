import { after } from 'node:test'
import { OpenTelemetry } from '../../src/platform/observability/open-telemetry.ts'

/** Sends spans to this collector, with this share of traces, until the file ends. */
export function tracingTo(url: string, share: number) {
  const lost: [number, string][] = []
  const tracing = new OpenTelemetry({
    url,
    headers: { 'api-key': 'of the collector' },
    serviceName: 'claims',
    version: '1.2.3',
    instance: 'here/1',
    share,
    onLost: (spans, reason) => lost.push([spans, reason]),
    sendEveryMs: 50,
    longestExportMs: 1_000,
  })
  after(() => tracing.stop())
  return { tracing, lost }
}
