import { COMPARATORS, type Comparator } from '../../../src/core/contracts/comparators.ts'
import { isJsonObject, type Json, type JsonObject } from '../../../src/kernel/json.ts'
import { readNumberValue, readValue, valueText } from './value-text.ts'

/*
 * The condition as the builder holds it: each node with an identity that survives moves, and what is being written as
 * text. A builder's node may be incomplete; the domain then says what is wrong with its JSON, at the path of the node.
 */

export type GroupKind = 'AND' | 'OR' | 'NOT'

export interface LeafNode {
  id: string
  kind: 'leaf'
  event: string
  match: MatchDraft | null
  /** Empty for the default: `value`. */
  field: string
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

/** How controls of the node are named. */
export const nameOf = (node: BuilderNode): string =>
  node.kind === 'leaf' ? `event ${node.event}`.trim() : `group “${GROUP_NAMES[node.kind]}”`

let made = 0
/** For a node or a row: unique within the page. */
export const newId = (): string => `n${++made}`

export const newLeaf = (event = ''): LeafNode => ({
  id: newId(),
  kind: 'leaf',
  event,
  match: null,
  field: '',
  bounds: [],
})

export const newGroup = (kind: GroupKind, children: BuilderNode[]): GroupNode => ({
  id: newId(),
  kind,
  children,
})

/** The condition of JSON that has a builder's shape, be its values wrong; null for any other. */
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
  const { event, match, field = '' } = value
  if (!hasOnly(value, ['event', 'match', 'field', ...COMPARATORS])) return null
  if (typeof event !== 'string' || typeof field !== 'string') return null
  // An empty field is not the same as none.
  if (match === null || Array.isArray(match) || value.field === '') return null
  const comparators = Object.keys(value).filter((key): key is Comparator => isComparator(key))
  const bounds = comparators.map((comparator) => ({ comparator, text: valueText(value[comparator] as Json) }))
  return { ...newLeaf(event), match: match === undefined ? null : toMatch(match), field, bounds }
}

const toMatch = (match: Json): MatchDraft =>
  isJsonObject(match)
    ? {
        by: 'fields',
        fields: Object.entries(match).map(([key, value]) => ({ id: newId(), key, text: valueText(value) })),
      }
    : { by: 'value', text: valueText(match) }

/** What the builder shows, as JSON. */
export function toCondition(node: BuilderNode): JsonObject {
  if (node.kind === 'leaf') return toLeafCondition(node)
  const [only] = node.children
  if (node.kind === 'NOT') return { op: 'NOT', condition: only ? toCondition(only) : {} }
  return { op: node.kind, conditions: node.children.map(toCondition) }
}

function toLeafCondition({ event, match, field, bounds }: LeafNode): JsonObject {
  return {
    event,
    ...(match ? { match: matchOf(match) } : {}),
    ...(field === '' ? {} : { field }),
    ...Object.fromEntries(bounds.map(({ comparator, text }) => [comparator, readNumberValue(text)])),
  }
}

// fromEntries, because a key may be __proto__.
const matchOf = (match: MatchDraft): Json =>
  match.by === 'value'
    ? readValue(match.text)
    : Object.fromEntries(match.fields.map(({ key, text }) => [key, readValue(text)]))

const isComparator = (key: string): boolean => (COMPARATORS as readonly string[]).includes(key)

const hasOnly = (value: JsonObject, keys: readonly string[]): boolean =>
  Object.keys(value).every((key) => keys.includes(key))
