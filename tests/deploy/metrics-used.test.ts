import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readBoard, withVariables } from '../support/grafana-board.ts'
import { valuesOf } from '../support/metric-values.ts'
import { readPromql, type Selected } from '../support/promql.ts'
import { readRules } from '../support/read-rules.ts'
import { CATALOGUE } from '../support/source/service.ts'

/* Board and rules are held to what is really measured: a metric, label or value that is not there would never alarm anybody. */

const board = await readBoard()
const rules = await readRules()
/** Of Prometheus itself. */
const OF_PROMETHEUS: Record<string, string[]> = { up: [], ALERTS: ['alertname', 'alertstate', 'severity'] }
const OF_TARGETS = ['job', 'instance', 'worker']

const byName = new Map<string, (typeof CATALOGUE)[keyof typeof CATALOGUE]>(
  Object.values(CATALOGUE).map((one) => [one.name, one]),
)

/** Its labels. @throws if nothing measures it */
function labelsOf(metric: string): readonly string[] {
  const own = OF_PROMETHEUS[metric]
  if (own) return own
  const [, base = metric, part] = /^(.*)_(bucket|sum|count)$/.exec(metric) ?? []
  const described = byName.get(base)
  assert.ok(described, `${metric} is no metric`)
  assert.equal(described.type === 'histogram', part !== undefined, `${metric}: ${described.type}`)
  const labels = 'labels' in described ? described.labels : []
  return part === 'bucket' ? [...labels, 'le'] : labels
}

function holdMatcher({ metric, matchers }: Selected): void {
  for (const { label, operator, value } of matchers) {
    if (OF_TARGETS.includes(label)) continue
    assert.ok(labelsOf(metric).includes(label), `${metric} has no label ${label}`)
    const known = valuesOf(metric, label)
    if (!known) {
      assert.ok(metric === 'ALERTS', `${metric}: the values of ${label} are not known to this test`)
      continue
    }
    const matches = operator.endsWith('~')
      ? new RegExp(`^(?:${value})$`)
      : { test: (one: string) => one === value }
    assert.ok(
      known.some((one) => matches.test(one)),
      `${metric}: ${label} is never ${value}`,
    )
  }
}

function hold(expression: string): void {
  const { selected, labels } = readPromql(expression)
  assert.ok(selected.length > 0, expression)
  for (const one of selected) {
    labelsOf(one.metric)
    holdMatcher(one)
  }
  const known = new Set([...OF_TARGETS, ...selected.flatMap(({ metric }) => labelsOf(metric))])
  for (const label of labels) assert.ok(known.has(label), `${expression} has no label ${label}`)
}

test('every alert asks for metrics, labels and values that there are', () => {
  for (const { expr } of rules) hold(expr)
})

test('so does every panel of the board, and its legends name labels that its query keeps', () => {
  for (const { title, targets = [] } of board.panels) {
    for (const { expr, legendFormat } of targets) {
      hold(withVariables(expr))
      const { labels } = readPromql(withVariables(expr))
      for (const [, label] of legendFormat.matchAll(/\{\{(\w+)\}\}/g))
        assert.ok(labels.includes(label as string), `${title}: ${legendFormat}`)
    }
  }
  for (const { expr } of board.annotations.list) hold(expr)
})

test('the board shows every metric but none twice in a place, and takes its data from the source that is chosen', () => {
  const shown = new Set(
    board.panels
      .flatMap(({ targets = [] }) => targets.flatMap(({ expr }) => readPromql(withVariables(expr)).selected))
      .map(({ metric }) => metric.replace(/_(bucket|sum|count)$/, '')),
  )
  assert.deepEqual(
    [...byName.keys()].filter((name) => !shown.has(name)),
    [],
  )
  assert.deepEqual(
    board.templating.list.map(({ name }) => name),
    ['datasource', 'job', 'instance'],
  )
  const cells = new Set<string>()
  for (const {
    type,
    title,
    datasource,
    targets = [],
    gridPos: { x, y, w, h },
  } of board.panels) {
    assert.ok(type === 'row' || targets.length > 0, title)
    for (const { uid } of [datasource, ...targets.map((one) => one.datasource)].flatMap((one) => one ?? []))
      assert.equal(uid.replace('$', ''), '{datasource}', title)
    assert.ok(x + w <= 24, title)
    for (let i = x; i < x + w; i++)
      for (let j = y; j < y + h; j++) {
        assert.ok(!cells.has(`${i} ${j}`), `${title} lies on another panel`)
        cells.add(`${i} ${j}`)
      }
  }
  assert.equal(new Set(board.panels.map(({ id }) => id)).size, board.panels.length)
})

test('what this test would find: a metric, a label, a value and a form that there are not', () => {
  for (const wrong of [
    'claimkeeper_submission_total',
    'claimkeeper_submission_duration_seconds',
    'claimkeeper_submissions_total{result="recorded"}',
    'claimkeeper_submissions_total{outcome="refused"}',
    'sum by (pool) (claimkeeper_submissions_total)',
    'claimkeeper_pool_connections{state=~"busy|free"}',
    'sum by (job (up)',
  ])
    assert.throws(() => hold(wrong), wrong)
})
