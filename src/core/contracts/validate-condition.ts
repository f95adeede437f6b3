import type { Issue } from '../../kernel/issue.ts'
import { isJsonObject, type Json, type JsonObject } from '../../kernel/json.ts'
import { MAX_ISSUES } from '../../kernel/limits.ts'
import { lengthInCharacters } from '../../kernel/text.ts'
import { isReservedType } from '../claims/event.ts'
import { MAX_CONDITION_DEPTH, MAX_CONDITION_NODES, MAX_NAME_LENGTH } from '../limits.ts'
import { COMPARATORS } from './comparators.ts'
import { AGGREGATES, type Aggregate } from './condition.ts'

const LEAF_FIELDS: readonly string[] = ['event', 'match', 'field', ...COMPARATORS, 'aggregate']
const ALL_OR_ANY_FIELDS: readonly string[] = ['op', 'conditions']
const NOT_FIELDS: readonly string[] = ['op', 'condition']

/** The issues of a fulfillment condition (§2.2), each at the path of its node. Not all issues if there are many. */
export function validateCondition(value: unknown, path: string): Issue[] {
  const issues: Issue[] = []
  const nodes = walk(value, path, 1, issues)
  if (nodes > MAX_CONDITION_NODES && issues.length < MAX_ISSUES) {
    issues.push({ path, message: `has more than ${MAX_CONDITION_NODES} nodes` })
  }
  return issues
}

/** The issues of a condition on one event (§2.1a), which is a leaf without an aggregate, or an OR of such leaves. */
export function validateEventTrigger(value: unknown, path: string): Issue[] {
  const issues = validateCondition(value, path)
  if (issues.length > 0) return issues
  const node = value as JsonObject
  const leaves = node.op === undefined ? [node] : (node.conditions as JsonObject[] | undefined)
  if (!leaves || node.op === 'AND' || leaves.length === 0 || leaves.some(({ op }) => op !== undefined)) {
    return [{ path, message: 'must be a leaf, or {op: "OR", conditions} of one leaf or more' }]
  }
  const inOr = node.op === undefined ? '' : '.conditions'
  return leaves.flatMap(({ aggregate }, i) =>
    aggregate === undefined
      ? []
      : [
          {
            path: `${path}${inOr && `${inOr}[${i}]`}.aggregate`,
            message: 'is not allowed here: the condition is judged on one event',
          },
        ],
  )
}

/** Adds the issues of the node and its descendants. Returns the number of nodes. */
function walk(node: unknown, path: string, depth: number, issues: Issue[]): number {
  const add = (at: string, message: string) => {
    if (issues.length < MAX_ISSUES) issues.push({ path: at, message })
  }

  if (depth > MAX_CONDITION_DEPTH) {
    add(path, `is nested more than ${MAX_CONDITION_DEPTH} levels deep`)
    return 1
  }
  if (!isJsonObject(node)) {
    add(
      path,
      'must be an object: a leaf {event, …}, {op: "AND" | "OR", conditions} or {op: "NOT", condition}',
    )
    return 1
  }
  if (Object.hasOwn(node, 'event') === Object.hasOwn(node, 'op')) {
    add(
      path,
      Object.hasOwn(node, 'op') ? 'has both event and op: a node is of one kind' : 'needs either event or op',
    )
    return 1
  }
  if (Object.hasOwn(node, 'event')) {
    validateLeaf(node, path, add)
    return 1
  }
  switch (node.op) {
    case 'AND':
    case 'OR': {
      refuseOtherFields(node, ALL_OR_ANY_FIELDS, path, `an ${node.op} node`, add)
      if (!Array.isArray(node.conditions)) {
        add(`${path}.conditions`, 'must be an array of conditions')
        return 1
      }
      return walkAll(node.conditions, `${path}.conditions`, depth, issues)
    }
    case 'NOT': {
      refuseOtherFields(node, NOT_FIELDS, path, 'a NOT node', add)
      if (!Object.hasOwn(node, 'condition')) {
        add(`${path}.condition`, 'is required')
        return 1
      }
      return 1 + walk(node.condition, `${path}.condition`, depth + 1, issues)
    }
    default:
      add(`${path}.op`, 'must be "AND", "OR" or "NOT"')
      return 1
  }
}

function walkAll(children: Json[], path: string, depth: number, issues: Issue[]): number {
  let nodes = 1
  for (const [index, child] of children.entries()) {
    nodes += walk(child, `${path}[${index}]`, depth + 1, issues)
    // A tree with too many nodes is refused. Its further issues are not needed.
    if (nodes > MAX_CONDITION_NODES || issues.length >= MAX_ISSUES) return nodes
  }
  return nodes
}

type Add = (path: string, message: string) => void

function validateLeaf(leaf: JsonObject, path: string, add: Add): void {
  refuseOtherFields(leaf, LEAF_FIELDS, path, 'a leaf', add)
  validateName(leaf.event, `${path}.event`, add)

  if (Object.hasOwn(leaf, 'match') && (leaf.match === null || Array.isArray(leaf.match))) {
    add(`${path}.match`, 'must be an object, a string, a number or a boolean')
  }
  const comparators = COMPARATORS.filter((name) => Object.hasOwn(leaf, name))
  for (const name of comparators) {
    if (typeof leaf[name] !== 'number') add(`${path}.${name}`, 'must be a number')
  }
  if (Object.hasOwn(leaf, 'aggregate')) validateAggregate(leaf, path, comparators.length, add)
  if (Object.hasOwn(leaf, 'field')) {
    validateName(leaf.field, `${path}.field`, add)
    if (comparators.length === 0) {
      add(`${path}.field`, `needs a comparator beside it: ${COMPARATORS.join(', ')}`)
    }
  }
}

function validateAggregate(leaf: JsonObject, path: string, comparators: number, add: Add): void {
  const { aggregate, event } = leaf
  if (!AGGREGATES.includes(aggregate as Aggregate)) {
    add(`${path}.aggregate`, `must be one of ${AGGREGATES.map((name) => `"${name}"`).join(', ')}`)
    return
  }
  if (comparators === 0) add(`${path}.aggregate`, `needs a comparator beside it: ${COMPARATORS.join(', ')}`)
  if (aggregate === 'count' && Object.hasOwn(leaf, 'field')) {
    add(`${path}.field`, 'is not allowed beside "count", which counts events')
  }
  if (typeof event === 'string' && isReservedType(event)) {
    add(`${path}.event`, 'is an event of the service: aggregates see the events of callers alone')
  }
}

function validateName(value: Json | undefined, path: string, add: Add): void {
  if (typeof value !== 'string') add(path, 'must be a string')
  else if (value === '' || lengthInCharacters(value) > MAX_NAME_LENGTH) {
    add(path, `must have 1 to ${MAX_NAME_LENGTH} characters`)
  }
}

function refuseOtherFields(
  node: JsonObject,
  allowed: readonly string[],
  path: string,
  kind: string,
  add: Add,
): void {
  const others = Object.keys(node).filter((key) => !allowed.includes(key))
  for (const key of others.slice(0, MAX_ISSUES)) {
    add(`${path}.${key}`, `is not a field of ${kind} (${allowed.join(', ')})`)
  }
}
