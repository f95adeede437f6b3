import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { parse } from 'yaml'
import { isMissing } from '../support/programs.ts'
import { readRules } from '../support/read-rules.ts'

const FOLDER = fileURLToPath(new URL('../../deploy/prometheus/', import.meta.url))
const skip = isMissing('promtool', 'prometheus')
const promtool = (...args: string[]) =>
  promisify(execFile)('promtool', args, { cwd: FOLDER, timeout: 60_000 })
const rules = await readRules()

test('each alert fires when it must, and none when all is well (promtool)', { skip }, async () => {
  await promtool('test', 'rules', 'rules.test.yaml')
})

test('Prometheus takes the rules and the example of its configuration (promtool)', { skip }, async () => {
  await promtool('check', 'rules', 'rules.yaml')
  await promtool('check', 'config', 'prometheus.yaml')
})

test('each alert has a case in which it fires, and is quiet in the case in which all is well', async () => {
  interface Case {
    name: string
    alert_rule_test: { alertname: string; exp_alerts?: object[] }[]
  }
  const { tests } = parse(await readFile(`${FOLDER}rules.test.yaml`, 'utf8')) as { tests: Case[] }
  const alerts = new Set(rules.map(({ alert }) => alert))
  const well = tests.find(({ name }) => name === 'all is well')?.alert_rule_test ?? []
  assert.deepEqual(new Set(well.map(({ alertname }) => alertname)), alerts)
  assert.ok(well.every(({ exp_alerts = [] }) => exp_alerts.length === 0))
  const fire = tests.flatMap((one) =>
    one.alert_rule_test.filter(({ exp_alerts = [] }) => exp_alerts.length > 0),
  )
  assert.deepEqual(new Set(fire.map(({ alertname }) => alertname)), alerts)
})

test('each alert leads to its section of the runbook, which says what it means, what to look at and what to do', async () => {
  const runbook = await readFile(new URL('../../docs/operating/runbook.md', import.meta.url), 'utf8')
  const sections = runbook.split(/^## /m).slice(1)
  const titles = sections.map((section) => section.split('\n', 1)[0])
  assert.deepEqual(titles.toSorted(), rules.map(({ alert }) => alert).toSorted())
  for (const section of sections)
    assert.match(section, /\*\*It means\*\*[\s\S]*\*\*Look at\*\*[\s\S]*\*\*Do\*\*/, section)
  for (const { alert, labels, annotations } of rules) {
    assert.match(labels.severity, /^(critical|warning)$/)
    assert.ok(annotations.summary && annotations.description, alert)
    assert.equal(annotations.runbook_url, `docs/operating/runbook.md#${alert.toLowerCase()}`)
  }
})
