import { readFile } from 'node:fs/promises'
import { parse } from 'yaml'

export interface Rule {
  alert: string
  expr: string
  labels: { severity: string }
  annotations: { summary: string; description: string; runbook_url: string }
}

/** The alerts of deploy/prometheus. */
export async function readRules(): Promise<Rule[]> {
  const text = await readFile(new URL('../../deploy/prometheus/rules.yaml', import.meta.url), 'utf8')
  return parse(text).groups.flatMap(({ rules }: { rules: Rule[] }) => rules)
}
