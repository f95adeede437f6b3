import { parser } from '@prometheus-io/lezer-promql'

export interface Selected {
  metric: string
  matchers: { label: string; operator: string; value: string }[]
}
interface Read {
  selected: Selected[]
  /** Labels for grouping and joining. */
  labels: string[]
}

/** The metrics and labels of a PromQL expression. @throws if it is invalid */
export function readPromql(expression: string): Read {
  const read: Read = { selected: [], labels: [] }
  const of = (node: { from: number; to: number }) => expression.slice(node.from, node.to)
  parser.parse(expression).iterate({
    enter: (node) => {
      if (node.type.isError) throw new Error(`not PromQL at ${node.from}: ${expression}`)
      if (node.name === 'VectorSelector') {
        const metric = node.node.getChild('Identifier')
        if (!metric) throw new Error(`a selector without a name: ${of(node)}`)
        read.selected.push({ metric: of(metric), matchers: [] })
      } else if (node.name === 'UnquotedLabelMatcher') {
        const [label, operator, value] = ['LabelName', 'MatchOp', 'StringLiteral'].map((part) => {
          const found = node.node.getChild(part)
          return found ? of(found) : ''
        }) as [string, string, string]
        read.selected.at(-1)?.matchers.push({ label, operator, value: JSON.parse(value) })
      } else if (node.name === 'LabelName' && node.node.parent?.name === 'GroupingLabels') {
        read.labels.push(of(node))
      }
    },
  })
  return read
}
