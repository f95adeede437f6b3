import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { startBrowser } from '../tests/support/browser.ts'
import { type Panel, readBoard, withVariables } from '../tests/support/grafana-board.ts'
import { type ServeProcess, startServeProcess } from '../tests/support/serve-process.ts'
import { type Drawn, drawBoard } from './board/draw.ts'
import { putUnderLoad } from './board/load.ts'
import { queryRange, startPrometheus } from './board/prometheus.ts'

/*
 * Tries the board deploy/grafana/claimkeeper.json on what a real Prometheus has collected from two servers under load, and
 * draws it as docs/images/board.png. Fails if a panel is empty. It needs Debian's `prometheus` and `chromium`.
 *
 *   npm run board -- --minutes 7
 *   npm run board -- --prometheus http://127.0.0.1:9090 --minutes 7   what one that runs already has of the last 7 minutes
 */

const { values: given } = parseArgs({
  options: { minutes: { type: 'string', default: '7' }, prometheus: { type: 'string' } },
})
const minutes = Number(given.minutes)
if (!(minutes >= 3 && minutes <= 600)) throw new Error('--minutes must be a number from 3 to 600')
const PICTURE = fileURLToPath(new URL('../docs/images/board.png', import.meta.url))
/** Points of a graph. */
const POINTS = 160

const releases: (() => Promise<void> | void)[] = []
const scope = { after: (release: () => Promise<void> | void) => void releases.unshift(release) }
try {
  const url = given.prometheus ?? (await collect())
  await drawFrom(url)
} finally {
  for (const release of releases) await release()
}

/** Runs servers under load, with a Prometheus that asks them, for as long as is asked for. */
async function collect(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'claimkeeper-board-'))
  scope.after(() => rm(folder, { recursive: true, force: true }))
  const settings = {
    METRICS_PORT: '0',
    CLAIMKEEPER_WEBHOOK_ALLOW_PRIVATE: 'true',
    CLAIMKEEPER_DATA_DIR: join(folder, 'data'),
    LOG_LEVEL: 'info',
  }
  const first = await startServeProcess(scope, { ...settings, DATABASE_URL: '' })
  const DATABASE_URL = await urlOfEmbedded(join(folder, 'data', 'postgres'))
  const second = await startServeProcess(scope, { ...settings, DATABASE_URL })
  const targets = [first, second].map(metricsAddress)
  const prometheus = await startPrometheus(scope, folder, targets)
  console.log(`${targets.join(' and ')} are asked by ${prometheus}, for ${minutes} minutes`)
  const over = new AbortController()
  const load = putUnderLoad(scope, [first.url, second.url], first.token as string, over.signal)
  scope.after(async () => {
    over.abort()
    await load
  })
  await pause(minutes * 60_000)
  return prometheus
}

async function urlOfEmbedded(folder: string): Promise<string> {
  const [password, pid] = await Promise.all(
    ['claimkeeper.password', 'postmaster.pid'].map((name) => readFile(join(folder, name), 'utf8')),
  )
  const port = pid?.split('\n')[3]
  return `postgres://claimkeeper:${encodeURIComponent((password as string).trim())}@127.0.0.1:${port}/claimkeeper`
}

function metricsAddress(server: ServeProcess): string {
  const [, port] = /"port":(\d+),"msg":"metrics are at/.exec(server.output()) ?? []
  return `127.0.0.1:${port}`
}

/** @throws if a panel has nothing to show; the picture is made all the same */
async function drawFrom(url: string): Promise<void> {
  const to = Math.floor(Date.now() / 1_000)
  const from = to - minutes * 60
  const range = { from, to, step: Math.max(1, Math.round((to - from) / POINTS)) }
  const board = await readBoard()
  const drawn: Drawn[] = []
  for (const panel of board.panels) drawn.push({ panel, lines: await linesOf(url, panel, range) })
  await drawBoard(await startBrowser(scope), board.title, drawn, range, PICTURE)
  const isEmpty = ({ panel, lines }: Drawn) =>
    panel.type !== 'row' && !lines.some(({ points }) => points.some(([, value]) => Number.isFinite(value)))
  const empty = drawn.filter(isEmpty).map(({ panel }) => panel.title)
  console.log(`${drawn.length} panels and rows, ${empty.length} of them empty: ${PICTURE}`)
  if (empty.length > 0) throw new Error(`empty: ${empty.join(', ')}`)
}

async function linesOf(url: string, panel: Panel, range: { from: number; to: number; step: number }) {
  const lines = []
  for (const { expr, legendFormat } of panel.targets ?? []) {
    for (const { labels, points } of await queryRange(url, withVariables(expr), range)) {
      const name = legendFormat.replaceAll(/\{\{(\w+)\}\}/g, (_, label: string) => labels[label] ?? '')
      lines.push({ name, points })
    }
  }
  return lines
}
