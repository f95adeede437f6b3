import { COMPARATORS, type Comparator } from '../../../src/core/contracts/comparators.ts'
import { isJsonObject, type Json, type JsonObject } from '../../../src/kernel/json.ts'
import { readNumberValue, readValue, valueText } from '../format/value-text.ts'

/* The condition as the builder edits it. Each node has an id that survives moves, and values are kept as typed text. A node
 * may be incomplete: validation reports issues of its JSON at the node's path.
 */

export type GroupKind = 'AND' | 'OR' | 'NOT'

export interface LeafNode {
  id: string
  kind: 'leaf'
  event: string
  match: MatchDraft | null
  /** Empty for the default: `value`. */
  field: string
  /** What the bounds compare over the log; empty for a number of one event. JSON may name an unknown aggregate. */
  aggregate: string
  bounds: { comparator: Comparator; text: string }[]
}

type MatchDraft = { by: 'value'; text: string } | { by: 'fields'; fields: MatchField[] }

export interface MatchField {
  id: string
  key: string
  text: string
}

export interface GroupNode {
  id: string
  kind: GroupKind
  /** NOT has exactly one. */
  children: BuilderNode[]
}

export type BuilderNode = LeafNode | GroupNode

export const GROUP_NAMES = { AND: 'All of these', OR: 'Any of these', NOT: 'Not this' } as const

/** The name of a node in labels. */
export const nameOf = (node: BuilderNode): string =>
  node.kind === 'leaf' ? `event ${node.event}`.trim() : `group “${GROUP_NAMES[node.kind]}”`

let made = 0
/** Unique within the page. */
export const newId = (): string => `n${++made}`

export const newLeaf = (event = ''): LeafNode => ({
  id: newId(),
  kind: 'leaf',
  event,
  match: null,
  field: '',
  aggregate: '',
  bounds: [],
})

export const newGroup = (kind: GroupKind, children: BuilderNode[]): GroupNode => ({
  id: newId(),
  kind,
  children,
})

/** The nodes of JSON with the structure of a condition, even with invalid values. Null for any other JSON. */
export function toNode(value: Json | undefined): BuilderNode | null {
  if (!isJsonObject(value)) return null
  if (Object.hasOwn(value, 'event')) return toLeaf(value)
  if (value.op === 'NOT') {
    const child = hasOnly(value, ['op', 'condition']) ? toNode(value.condition) : null
    return child && newGroup('NOT', [child])
  }
  if (value.op !== 'AND' && value.op !== 'OR') return null
  if (!hasOnly(value, ['op', 'conditions']) || !Array.isArray(value.conditions)) return null
  const children = value.conditions.map(toNode)
  return children.includes(null) ? null : newGroup(value.op, children as BuilderNode[])
}

function toLeaf(value: JsonObject): LeafNode | null {
  const { event, match, field = '', aggregate = '' } = value
  if (!hasOnly(value, ['event', 'match', 'field', 'aggregate', ...COMPARATORS])) return null
  if (typeof event !== 'string' || typeof field !== 'string' || typeof aggregate !== 'string') return null
  // The builder cannot represent an empty field or aggregate: it means none there.
  if (match === null || Array.isArray(match) || value.field === '' || value.aggregate === '') return null
  const comparators = Object.keys(value).filter((key): key is Comparator => isComparator(key))
  const bounds = comparators.map((comparator) => ({ comparator, text: valueText(value[comparator] as Json) }))
  return { ...newLeaf(event), match: match === undefined ? null : toMatch(match), field, aggregate, bounds }
}

const toMatch = (match: Json): MatchDraft =>
  isJsonObject(match)
    ? {
        by: 'fields',
        fields: Object.entries(match).map(([key, value]) => ({ id: newId(), key, text: valueText(value) })),
      }
    : { by: 'value', text: valueText(match) }

/** The tree as JSON. */
export function toCondition(node: BuilderNode): JsonObject {
  if (node.kind === 'leaf') return toLeafCondition(node)
  const [only] = node.children
  if (node.kind === 'NOT') return { op: 'NOT', condition: only ? toCondition(only) : {} }
  return { op: node.kind, conditions: node.children.map(toCondition) }
}

function toLeafCondition({ event, match, field, aggregate, bounds }: LeafNode): JsonObject {
  return {
    event,
    ...(match ? { match: matchOf(match) } : {}),
    ...(field === '' ? {} : { field }),
    ...(aggregate === '' ? {} : { aggregate }),
    ...Object.fromEntries(bounds.map(({ comparator, text }) => [comparator, readNumberValue(text)])),
  }
}

// fromEntries, because a key may be __proto__.
const matchOf = (match: MatchDraft): Json =>
  match.by === 'value'
    ? readValue(match.text)
    : Object.fromEntries(match.fields.map(({ key, text }) => [key, readValue(text)]))

const isComparator = (key: string): boolean => (COMPARATORS as readonly string[]).includes(key)

export const hasOnly = (value: JsonObject, keys: readonly string[]): boolean =>
  Object.keys(value).every((key) => keys.includes(key))
