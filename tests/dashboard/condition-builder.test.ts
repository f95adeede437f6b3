import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  type BuilderNode,
  type GroupNode,
  newGroup,
  newLeaf,
  toCondition,
  toNode,
} from '../../dashboard/src/contracts/builder-node.ts'
import { conditionLimits } from '../../dashboard/src/contracts/condition-limits.ts'
import {
  documentOfContract,
  documentOfDraft,
  offsetOfProblem,
  withJson,
} from '../../dashboard/src/contracts/contract-document.ts'
import {
  newDraft,
  secondsOf,
  toContract,
  toDraft,
  toDuration,
} from '../../dashboard/src/contracts/contract-draft.ts'
import {
  addTo,
  canUnwrap,
  combineNode,
  moveBy,
  moveIn,
  moveOut,
  neighbourOf,
  parentOf,
  pathsOf,
  possibleMoves,
  removeNode,
  replaceNode,
  unwrapNode,
  wrapNode,
} from '../../dashboard/src/contracts/edit-node.ts'
import { LOCAL_NUMBERS } from '../../dashboard/src/format/local-number.ts'
import { kindOfValue, readValue, valueText } from '../../dashboard/src/format/value-text.ts'
import { condition, contract, extendedCondition, extendedContract } from '../support/arbitraries.ts'
import { all, any, contractWith, not } from '../support/contracts.ts'
import { EventLog } from '../support/source/claims.ts'
import {
  type Condition,
  satisfyingPayload,
  suggestedEvents,
  validateCondition,
  validateContract,
} from '../support/source/contracts.ts'
import type { Json } from '../support/source/json.ts'

const [a, b, c] = [{ event: 'a' }, { event: 'b' }, { event: 'c' }]
const nodeOf = (value: Condition) => toNode(value as unknown as Json) as BuilderNode
const childrenOf = (node: BuilderNode) => (node as GroupNode).children
/** The id of the first leaf with this event. */
function idOf(root: BuilderNode, event: string): string {
  const found = allNodes(root).find((node) => node.kind === 'leaf' && node.event === event)
  assert.ok(found, event)
  return found.id
}
const allNodes = (node: BuilderNode): BuilderNode[] =>
  node.kind === 'leaf' ? [node] : [node, ...node.children.flatMap(allNodes)]

test('any condition survives conversion to builder nodes and back', () => {
  fc.assert(
    fc.property(extendedCondition, (value) => {
      assert.deepEqual(toCondition(nodeOf(value)), value)
    }),
  )
})

test('any contract survives conversion to a draft and back and stays valid', () => {
  fc.assert(
    fc.property(fc.oneof(contract, extendedContract), (value) => {
      const draft = toDraft(value as unknown as Json)
      assert.ok(draft)
      // Windows are exact: a larger unit is used only for a whole number of it.
      assert.deepEqual(toContract(draft), value)
      assert.deepEqual(documentOfContract(value).issues, [])
    }),
  )
})

test('any JSON value survives conversion to field text and back', () => {
  fc.assert(
    fc.property(fc.jsonValue({ stringUnit: 'binary' }), (value) => {
      const plain = JSON.parse(JSON.stringify(value))
      assert.deepEqual(readValue(valueText(plain)), plain)
    }),
  )
  assert.equal(valueText('DE'), 'DE')
  assert.equal(valueText('5'), '"5"')
  assert.equal(readValue('5'), 5)
  assert.equal(readValue('1e999'), '1e999')
  assert.deepEqual([null, [], {}, 'x', 1, true].map(kindOfValue), [
    'null',
    'list',
    'object',
    'text',
    'number',
    'true or false',
  ])
})

test('JSON with invalid values becomes nodes, JSON with another structure does not', () => {
  const wrong = { event: '', field: 'n', gte: 'four', eq: null }
  const node = toNode(wrong)
  assert.ok(node)
  assert.deepEqual(toCondition(node), wrong)
  const otherStructures: Json[] = [
    null,
    [],
    {},
    { event: 1 },
    { event: 'a', more: 1 },
    { event: 'a', match: null },
    { event: 'a', aggregate: '' },
    { event: 'a', op: 'AND', conditions: [] },
    { op: 'XOR', conditions: [] },
    { op: 'AND', conditions: {} },
    { op: 'AND', conditions: [{}] },
    { op: 'NOT' },
  ]
  for (const value of otherStructures) assert.equal(toNode(value), null, JSON.stringify(value))
})

test('validation issues have the paths of the builder’s nodes', () => {
  fc.assert(
    fc.property(condition, (value) => {
      const root = nodeOf(value)
      const paths = pathsOf(root, 'contract.fulfillment_condition')
      for (const node of allNodes(root)) {
        if (node.kind !== 'leaf') continue
        const invalid = toCondition(replaceNode(root, { ...node, event: '' }))
        const issues = validateCondition(invalid, 'contract.fulfillment_condition')
        assert.deepEqual(
          issues.map(({ path }) => path),
          [`${paths.get(node.id)}.event`],
        )
      }
    }),
  )
})

test('every edit of any tree gives a valid tree or no change', () => {
  const changes = [
    (root: BuilderNode, id: string) => moveBy(root, id, -1),
    (root: BuilderNode, id: string) => moveBy(root, id, 1),
    moveOut,
    moveIn,
    unwrapNode,
    (root: BuilderNode, id: string) => wrapNode(root, id, 'NOT'),
    (root: BuilderNode, id: string) => wrapNode(root, id, 'OR'),
    (root: BuilderNode, id: string) => addTo(root, id, newLeaf('new')),
    (root: BuilderNode, id: string) => combineNode(root, id, 'AND', newLeaf('new')),
  ]
  fc.assert(
    fc.property(condition, fc.nat(), fc.constantFrom(...changes), (value, n, change) => {
      const root = nodeOf(value)
      const nodes = allNodes(root)
      const { id } = nodes[n % nodes.length] as BuilderNode
      const before = structuredClone(root)
      const changed = change(root, id)
      assert.deepEqual(root, before, 'the original tree is unchanged')
      const issues = validateCondition(toCondition(changed), 'c')
      assert.deepEqual(
        issues.filter(({ message }) => !message.includes('nested')),
        [],
      )
      const leaves = (node: BuilderNode) =>
        allNodes(node)
          .filter(({ kind }) => kind === 'leaf')
          .map((leaf) => leaf.id)
      const lost = leaves(root).filter((leaf) => !leaves(changed).includes(leaf))
      assert.deepEqual(lost, [], 'no leaf is lost')
      assert.equal(new Set(allNodes(changed).map((node) => node.id)).size, allNodes(changed).length)
    }),
  )
})

test('nodes are added, removed and moved among their siblings', () => {
  const root = nodeOf(all(a, b))
  assert.deepEqual(toCondition(addTo(root, root.id, newLeaf('c'))), all(a, b, c))
  assert.deepEqual(toCondition(removeNode(root, idOf(root, 'a'))), all(b))
  assert.deepEqual(toCondition(moveBy(root, idOf(root, 'b'), -1)), all(b, a))
  assert.equal(moveBy(root, idOf(root, 'b'), 1), root)
  assert.equal(moveBy(root, root.id, 1), root)
  assert.deepEqual(toCondition(removeNode(root, root.id)), { event: '' })
  const negated = nodeOf(all(a, not(b)))
  assert.deepEqual(toCondition(removeNode(negated, idOf(negated, 'b'))), all(a), 'an empty NOT is removed')
  assert.equal(addTo(root, idOf(root, 'a'), newLeaf('c')), root)
  assert.equal(parentOf(root, root.id), null)
})

test('nodes are moved into the next group and out again', () => {
  const root = nodeOf(all(a, any(b), c))
  assert.deepEqual(toCondition(moveIn(root, idOf(root, 'c'))), all(a, any(b, c)))
  assert.deepEqual(toCondition(moveIn(root, idOf(root, 'a'))), all(any(b, a), c))
  assert.deepEqual(toCondition(moveOut(root, idOf(root, 'b'))), all(a, any(), b, c))
  assert.deepEqual(possibleMoves(root, idOf(root, 'a')), { up: false, down: true, out: false, into: true })
  assert.deepEqual(possibleMoves(root, idOf(root, 'b')), { up: false, down: false, out: true, into: false })
  assert.deepEqual(possibleMoves(root, root.id), { up: false, down: false, out: false, into: false })
})

test('nodes are wrapped in groups and unwrapped', () => {
  const root = nodeOf(a)
  assert.deepEqual(toCondition(wrapNode(root, root.id, 'NOT')), not(a))
  const nested = nodeOf(all(any(a, b), c))
  const [group] = childrenOf(nested) as [GroupNode]
  assert.deepEqual(toCondition(unwrapNode(nested, group.id)), all(a, b, c))
  assert.ok(!canUnwrap(nested, nested as GroupNode), 'the root must stay one node')
  const negated = nodeOf(not(any(a, b)))
  assert.equal(unwrapNode(negated, (childrenOf(negated)[0] as GroupNode).id), negated)
  assert.deepEqual(toCondition(unwrapNode(negated, negated.id)), any(a, b))
  assert.equal(unwrapNode(nested, idOf(nested, 'c')), nested)
  assert.ok(!canUnwrap(newGroup('AND', []), newGroup('AND', [])))
})

test('combining adds an event to the group of the node if the operators agree, otherwise to a new group', () => {
  const root = nodeOf(all(a, b))
  const added = newLeaf('c')
  assert.deepEqual(toCondition(combineNode(root, idOf(root, 'a'), 'AND', added)), all(a, c, b))
  assert.deepEqual(toCondition(combineNode(root, idOf(root, 'a'), 'OR', added)), all(any(a, c), b))
  assert.deepEqual(toCondition(combineNode(root, root.id, 'OR', added)), any(all(a, b), c))
  const negated = nodeOf(not(a))
  assert.deepEqual(toCondition(combineNode(negated, idOf(negated, 'a'), 'OR', added)), not(any(a, c)))
  assert.equal(combineNode(root, 'unknown', 'OR', added), root)
})

test('the neighbour of a removed node is the next node, the previous node, or the group', () => {
  const root = nodeOf(all(a, not(b), any(c)))
  const [first, negation, group] = childrenOf(root) as [BuilderNode, GroupNode, GroupNode]
  assert.equal(neighbourOf(root, first.id), negation)
  assert.equal(neighbourOf(root, idOf(root, 'b')), group, 'the NOT is removed too')
  assert.equal(neighbourOf(root, group.id), negation)
  assert.equal(neighbourOf(root, idOf(root, 'c')), group)
  assert.equal(neighbourOf(root, root.id), null)
})

test('the builder allows exactly the nodes and levels that validation allows', () => {
  const isValid = (value: BuilderNode) => validateCondition(toCondition(value), 'c').length === 0
  const wide = (count: number) => nodeOf(all(...Array.from({ length: count }, () => a)))
  const deep = (levels: number) =>
    nodeOf(Array.from({ length: levels - 2 }).reduce<Condition>((inner) => all(inner), all(a)))
  for (const root of [wide(509), wide(510), wide(511), deep(30), deep(31), deep(32)]) {
    const limits = conditionLimits(root)
    assert.equal(limits.refusal, null)
    for (const node of allNodes(root).slice(-2)) {
      const wrapped = wrapNode(root, node.id, 'NOT')
      assert.equal(conditionLimits(wrapped).refusal === null, isValid(wrapped))
      const beside = combineNode(root, node.id, 'OR', newLeaf('b'))
      assert.equal(conditionLimits(beside).refusal === null, isValid(beside))
      if (node.kind !== 'leaf')
        assert.equal(limits.refusalToAdd(node.id, 1, 1) === null, isValid(addTo(root, node.id, newLeaf('b'))))
    }
    const group = newGroup('OR', [newLeaf('b')])
    assert.equal(limits.refusalToAdd(root.id, 2, 2) === null, isValid(addTo(root, root.id, group)))
  }
  assert.match(conditionLimits(wide(512)).refusal ?? '', /at most 512 nodes/)
  assert.match(conditionLimits(deep(33)).refusal ?? '', /at most 32 levels/)
})

test('an edit of the form changes the JSON, and an edit of the JSON changes the form', () => {
  const start = documentOfContract(contractWith({ fulfillment_condition: all(a, b) }))
  const fromJson = withJson(start, start.json.replace('"a"', '"z"'))
  assert.deepEqual(toCondition(fromJson.draft.condition), all({ event: 'z' }, b))
  const fromForm = documentOfDraft({ ...fromJson.draft, price: LOCAL_NUMBERS.writeNumber(12.5) })
  assert.equal(JSON.parse(fromForm.json).price, 12.5)
  assert.deepEqual(
    fromForm.contract,
    contractWith({ price: 12.5, fulfillment_condition: all({ event: 'z' }, b) }),
  )
})

test('invalid JSON keeps the last form and reports the position of the error', () => {
  const start = documentOfContract(contractWith())
  const broken = withJson(start, '{\n  "price": 1,,\n}')
  assert.equal(broken.draft, start.draft)
  assert.match(broken.problem ?? '', /Not valid JSON/)
  assert.equal(offsetOfProblem(broken.problem ?? '', broken.json), broken.json.indexOf(',,') + 1)
  assert.equal(offsetOfProblem('Unexpected end of JSON input', '{'), 1)
  assert.equal(offsetOfProblem('unexpected at line 2 column 3 of the JSON data', 'ab\ncdef'), 5)
  assert.equal(offsetOfProblem('bad', '{'), null)

  const other = withJson(start, start.json.replace('"event"', '"evnt"'))
  assert.equal(other.draft, start.draft)
  assert.deepEqual(
    other.issues.map(({ path }) => path),
    ['contract.fulfillment_condition'],
  )
  assert.equal(withJson(other, start.json).problem, null)

  const wrong = withJson(start, start.json.replace('"price": 10', '"price": "ten"'))
  assert.equal(wrong.problem, null, 'the form can show it')
  assert.equal(wrong.draft.price, 'ten')
  assert.deepEqual(
    wrong.issues.map(({ path }) => path),
    ['contract.price'],
  )
})

test('a new contract reports its missing fields', () => {
  const { issues } = documentOfDraft(newDraft())
  assert.deepEqual(
    issues.map(({ path }) => path),
    ['contract.price', 'contract.fulfillment_condition.event'],
  )
})

test('windows are shown in the largest unit with a whole number and can be typed in any unit', () => {
  assert.deepEqual(toDuration(2_592_000), { text: '30', unit: 'days' })
  assert.deepEqual(toDuration(5_400), { text: '90', unit: 'minutes' })
  assert.deepEqual(toDuration(1.5), { text: LOCAL_NUMBERS.writeNumber(1.5), unit: 'seconds' })
  assert.deepEqual(toDuration(0), { text: '0', unit: 'seconds' })
  const text = LOCAL_NUMBERS.writeNumber(1.1)
  assert.equal(secondsOf({ text, unit: 'hours' }), 3960)
  assert.equal(secondsOf({ text, unit: 'days' }), 95_040)
  assert.equal(secondsOf({ text: 'soon', unit: 'days' }), 'soon')
  assert.deepEqual(validateContract(contractWith({ activity_window: 95_040 })), [])
})

test('a satisfying payload exists for each kind of leaf', () => {
  const leaves = [
    { event: 'a' },
    { event: 'a', match: { country: 'DE', by: { name: 'DHL' } } },
    { event: 'a', match: 'yes' },
    { event: 'a', gte: 4 },
    { event: 'a', gt: 4, lt: 5 },
    { event: 'a', lt: -1 },
    { event: 'a', match: { o: { k: 'x' } }, field: 'o.n', lte: 0.8 },
    { event: 'a', eq: 7 },
  ]
  for (const leaf of leaves) {
    const payload = satisfyingPayload(leaf)
    const event = { id: '1', type: 'a', payload, system: false, createdAt: new Date(0) }
    assert.ok(EventLog.of(leaf, [event]).satisfiesCondition, JSON.stringify({ leaf, payload }))
  }
  assert.deepEqual(suggestedEvents(all({ event: 'a', gte: 4 }, not(b), { event: 'a', lt: 1 })), [
    { type: 'a', payload: { value: 4 } },
    { type: 'b', payload: {} },
  ])
})
