import type { BuilderNode } from '../contracts/builder-node.ts'
import type { ContractDocument } from '../contracts/contract-document.ts'
import { type ClockDraft, treesOf } from '../contracts/contract-draft.ts'
import { fieldOf } from '../contracts/edit-node.ts'

const TERMS = [
  ['price', 'price'],
  ['activityWindow', 'activity_window'],
  ['reviewWindow', 'review_window'],
  ['timeoutOutcome', 'timeout_outcome'],
] as const

/** The `data-focus` of the field that differs between two states of a contract. */
export function changedField(before: ContractDocument, after: ContractDocument): string {
  if (after.problem !== null) return 'json'
  const term = TERMS.find(
    ([name]) => JSON.stringify(before.draft[name]) !== JSON.stringify(after.draft[name]),
  )
  if (term) return term[1]
  if (before.draft.strictDeadline !== after.draft.strictDeadline) return 'strict_deadline'
  const clock = changedClockField(before.draft.clock, after.draft.clock)
  if (clock) return clock
  const [trees, others] = [treesOf(after.draft), new Map(treesOf(before.draft))]
  const changed = trees.find(([path, root]) => others.get(path) !== root)
  if (changed) return fieldOf(changedNode(others.get(changed[0]) ?? changed[1], changed[1]))
  const left = new Set(trees.map(([path]) => path))
  const removed = [...others.keys()].find((path) => !left.has(path))
  if (removed === undefined) return 'review.max_duration'
  return removed.startsWith('contract.clock.') ? 'clock.pause_on' : 'review'
}

/** Of the calendar and its windows. Null if both are the same. */
function changedClockField(before: ClockDraft | null, after: ClockDraft | null): string | null {
  const isSame = (part: 'calendar' | 'appliesTo') =>
    JSON.stringify(before?.[part] ?? null) === JSON.stringify(after?.[part] ?? null)
  if (!isSame('calendar')) return after?.calendar ? 'clock.calendar' : 'clock'
  return isSame('appliesTo') ? null : 'clock.applies_to'
}

/** The node that was changed or added. After a removal, the node in its place. */
function changedNode(before: BuilderNode, after: BuilderNode): BuilderNode {
  if (before.kind === 'leaf' || after.kind === 'leaf' || before.id !== after.id) return after
  const index = after.children.findIndex((child, i) => child !== before.children[i])
  const [was, is] = [before.children[index], after.children[index]]
  if (!is) return after.children.length < before.children.length ? (after.children.at(-1) ?? after) : after
  return was?.id === is.id ? changedNode(was, is) : is
}
