import assert from 'node:assert/strict'

export interface Scraped {
  /** By metric name. */
  types: Map<string, string>
  /** Names of the labels of each metric, without `le` of histograms. */
  labels: Map<string, Set<string>>
  /** By series, such as `name{label="value"}`. */
  values: Map<string, number>
}

const SERIES = /^(\w+)(?:\{(.*)\})? (\S+)$/

/** The text format of Prometheus, read strictly. */
export function readMetrics(text: string): Scraped {
  const scraped: Scraped = { types: new Map(), labels: new Map(), values: new Map() }
  let of = ''
  for (const line of text.split('\n')) {
    const [, type, kind] = /^# TYPE (\w+) (\w+)$/.exec(line) ?? []
    if (type) {
      of = type
      assert.ok(!scraped.types.has(of), `${of} is there once`)
      scraped.types.set(of, kind as string)
      scraped.labels.set(of, new Set())
    } else if (line !== '' && !line.startsWith('# HELP ')) {
      const [series, name = '', labels = '', value] = SERIES.exec(line) ?? []
      assert.ok(
        series && name.replace(/_(bucket|sum|count)$/, '') === of.replace(/_(bucket|sum|count)$/, ''),
        line,
      )
      for (const [, label] of labels.matchAll(/(\w+)="[^"]*"/g))
        if (label !== 'le') scraped.labels.get(of)?.add(label as string)
      assert.ok(Number.isFinite(Number(value)), line)
      scraped.values.set(line.slice(0, line.lastIndexOf(' ')), Number(value))
    }
  }
  return scraped
}
