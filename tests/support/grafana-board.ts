import { readFile } from 'node:fs/promises'

export interface Panel {
  id: number
  type: 'row' | 'timeseries' | 'stat'
  title: string
  gridPos: { x: number; y: number; w: number; h: number }
  datasource?: { type: string; uid: string }
  fieldConfig?: {
    defaults: {
      unit: string
      decimals?: number
      mappings?: { options: Record<string, { text: string }> }[]
      thresholds?: { steps: { color: string; value: number | null }[] }
      custom?: { stacking: { mode: 'none' | 'normal' } }
    }
  }
  options?: { textMode?: string }
  targets?: { expr: string; legendFormat: string; datasource: { uid: string } }[]
}

export interface Board {
  title: string
  schemaVersion: number
  panels: Panel[]
  annotations: { list: { expr: string }[] }
  templating: { list: { name: string; type: string; definition?: string }[] }
}

export async function readBoard(): Promise<Board> {
  return JSON.parse(await readFile(new URL('../../deploy/grafana/claimkeeper.json', import.meta.url), 'utf8'))
}

/** An expression as Grafana sends it, with all servers chosen. */
export const withVariables = (expression: string): string =>
  expression
    .replaceAll('$job', 'claimkeeper')
    .replaceAll('$instance', '.*')
    .replaceAll('$__rate_interval', '1m')
