import { setting } from './setting.ts'
import { headersOf, share, urlOf } from './values.ts'

/** What is told of each request, and to whom. */
export const TELEMETRY_SETTINGS = {
  requestLog: setting({
    name: 'CLAIMKEEPER_LOG_REQUESTS',
    fallback: 'none',
    doc: 'Requests that have a line in the log: `none`; `errors` for those that failed, were refused or whose callers went away; a share such as `0.01` for these and so many of the others; `all`. See [logs and traces](operating/logs-and-traces.md).',
    parse: (text) => {
      if (text === 'none') return null
      if (text === 'errors') return 0
      if (text === 'all') return 1
      try {
        return share(text)
      } catch {
        throw new Error('none, errors, all, or a share from 0 to 1 such as 0.01')
      }
    },
  }),
  otlpEndpoint: setting({
    name: 'OTEL_EXPORTER_OTLP_ENDPOINT',
    fallback: null,
    doc: 'Collector of OpenTelemetry to which traces are sent, as JSON by HTTP, such as `http://127.0.0.1:4318`. By default there are none. See [logs and traces](operating/logs-and-traces.md).',
    parse: urlOf('http:', 'https:'),
  }),
  otlpHeaders: setting({
    name: 'OTEL_EXPORTER_OTLP_HEADERS',
    fallback: null,
    doc: 'Headers for the collector, such as `api-key=secret,tenant=a`; values may be percent-encoded.',
    parse: headersOf,
  }),
  serviceName: setting({
    name: 'OTEL_SERVICE_NAME',
    fallback: 'claimkeeper',
    doc: 'Name of the service in traces.',
    parse: (text) => text,
  }),
  traceShare: setting({
    name: 'OTEL_TRACES_SAMPLER_ARG',
    fallback: '0.01',
    doc: 'Share of requests that are traced, from 0 to 1, of those whose callers trace nothing. Of callers who trace theirs, ten a second more.',
    parse: share,
  }),
}
