import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { eventually } from '../../tests/support/eventually.ts'
import type { Scope } from '../../tests/support/test-database.ts'

const DEPLOY = fileURLToPath(new URL('../../deploy/prometheus/', import.meta.url))

/** One line of a graph. */
export interface Series {
  labels: Record<string, string>
  /** Seconds since 1970, and what was measured; NaN where there is no answer. */
  points: [at: number, value: number][]
}

/**
 * Debian's Prometheus with the configuration of deploy/prometheus, which asks these servers every few seconds. Returns its
 * address.
 * @throws if it does not start
 */
export async function startPrometheus(scope: Scope, folder: string, targets: string[]): Promise<string> {
  const example = await readFile(join(DEPLOY, 'prometheus.yaml'), 'utf8')
  const config = example
    .replace(/targets: \[.*\]/, `targets: [${targets.map((target) => `'${target}'`).join(', ')}]`)
    .replaceAll(/_interval: 15s/g, '_interval: 5s')
    .replace('scrape_timeout: 10s', 'scrape_timeout: 5s')
  await writeFile(join(folder, 'prometheus.yaml'), config)
  await cp(join(DEPLOY, 'rules.yaml'), join(folder, 'rules.yaml'))
  const child = spawn(
    'prometheus',
    [
      `--config.file=${join(folder, 'prometheus.yaml')}`,
      `--storage.tsdb.path=${join(folder, 'series')}`,
      '--web.listen-address=127.0.0.1:0',
    ],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  )
  const ended = once(child, 'close')
  ended.catch(() => {})
  let log = ''
  child.stderr.setEncoding('utf8').on('data', (chunk) => {
    log += chunk
  })
  scope.after(async () => {
    child.kill('SIGTERM')
    await ended.catch(() => {})
  })
  const url = await eventually(async () => {
    if (child.exitCode !== null) throw new Error(`Prometheus ended:\n${log}`)
    const [, port] = /msg="Listening on" address=127\.0\.0\.1:(\d+)/.exec(log) ?? []
    return port && `http://127.0.0.1:${port}`
  })
  await eventually(async () => (await fetch(`${url}/-/ready`)).ok)
  return url
}

/** @throws if Prometheus refuses the expression */
export async function queryRange(
  url: string,
  expression: string,
  { from, to, step }: { from: number; to: number; step: number },
): Promise<Series[]> {
  const body = new URLSearchParams({ query: expression, start: `${from}`, end: `${to}`, step: `${step}` })
  const response = await fetch(`${url}/api/v1/query_range`, { method: 'POST', body })
  const answer = (await response.json()) as {
    error?: string
    data?: { result: { metric: Record<string, string>; values: [number, string][] }[] }
  }
  if (!answer.data) throw new Error(`${expression}: ${answer.error}`)
  return answer.data.result.map(({ metric, values }) => ({
    labels: metric,
    points: values.map(([at, value]) => [at, Number(value)]),
  }))
}
