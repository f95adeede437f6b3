import type { Contract } from '../../../src/core/contracts/contract.ts'
import { validateContract } from '../../../src/core/contracts/validate-contract.ts'
import { hasLossyNumber } from '../../../src/kernel/exact-numbers.ts'
import type { Issue } from '../../../src/kernel/issue.ts'
import type { Json } from '../../../src/kernel/json.ts'
import { LOCAL_NUMBERS } from '../local-number.ts'
import type { BuilderNode, LeafNode } from './builder-node.ts'
import { type ContractDraft, TIME_UNITS, toContract, toDraft } from './contract-draft.ts'
import { pathsOf } from './edit-node.ts'
import { LOSSY, problemOfValue } from './value-text.ts'

export const CONDITION_PATH = 'contract.fulfillment_condition'

/** One contract that is edited in two ways at once: as a form, and as JSON. An edit of either shows in the other. */
export interface ContractDocument {
  /** What the JSON says; if it has not the shape of a contract, what it said when it last had. */
  draft: ContractDraft
  json: string
  /** Why the form does not show what the JSON says; null if both say the same. */
  problem: string | null
  /** What the domain says of the JSON. */
  issues: readonly Issue[]
  /** Null if it is not valid. */
  contract: Contract | null
}

export function ofDraft(draft: ContractDraft): ContractDocument {
  const value = toContract(draft)
  const { issues, contract } = judge(value)
  const slips = slipsOf(draft)
  const slipped = new Set(slips.map(({ path }) => path))
  return {
    draft,
    json: JSON.stringify(value, null, 2),
    problem: null,
    // They say it more exactly than the domain, which knows the JSON alone.
    issues: [...issues.filter(({ path }) => !slipped.has(path)), ...slips],
    contract: slips.length > 0 ? null : contract,
  }
}

/** What JSON cannot tell: why a text is no number, and which names of a match are missing, or there twice. */
function slipsOf({ price, activityWindow, reviewWindow, condition }: ContractDraft): Issue[] {
  return [
    ...slipAt('contract.price', price),
    ...slipAt('contract.activity_window', activityWindow.text, TIME_UNITS[activityWindow.unit]),
    ...slipAt('contract.review_window', reviewWindow.text, TIME_UNITS[reviewWindow.unit]),
    ...slipsBelow(condition, pathsOf(condition, CONDITION_PATH)),
  ]
}

function slipsBelow(node: BuilderNode, paths: ReadonlyMap<string, string>): Issue[] {
  if (node.kind !== 'leaf') return node.children.flatMap((child) => slipsBelow(child, paths))
  const path = `${paths.get(node.id)}`
  return [
    ...node.bounds.flatMap(({ comparator, text }) => slipAt(`${path}.${comparator}`, text)),
    ...slipsOfMatch(node.match, `${path}.match`),
  ]
}

function slipsOfMatch(match: LeafNode['match'], path: string): Issue[] {
  if (!match) return []
  const fields = match.by === 'fields' ? match.fields : []
  const texts = match.by === 'fields' ? fields.map(({ text }) => text) : [match.text]
  const keys = fields.map(({ key }) => key)
  return [
    ...texts.flatMap((text) => problemOfValue(text) ?? []),
    ...(keys.includes('') ? ['has a field without a name'] : []),
    ...(new Set(keys).size < keys.length ? ['has a field twice'] : []),
  ].map((message) => ({ path, message }))
}

/** Empty is not wrong, but missing: that the domain says. */
function slipAt(path: string, text: string, times = 1): Issue[] {
  const { problem } = LOCAL_NUMBERS.readNumber(text, times)
  return problem && text !== '' ? [{ path, message: problem }] : []
}

/** The contract is a stored one, so it has a contract's shape. */
export function ofContract(contract: Contract): ContractDocument {
  const draft = toDraft(contract as unknown as Json)
  if (!draft) throw new Error('a stored contract has no other fields than those of a contract')
  return { draft, json: JSON.stringify(contract, null, 2), problem: null, ...judge(contract) }
}

export function withJson(before: ContractDocument, json: string): ContractDocument {
  let value: Json
  try {
    value = JSON.parse(json)
  } catch (error) {
    const problem = `Not valid JSON: ${(error as Error).message}`
    return { ...before, json, problem, issues: [], contract: null }
  }
  if (hasLossyNumber(json)) return { ...before, json, problem: `This ${LOSSY}.`, issues: [], contract: null }
  const draft = toDraft(value)
  const judged = judge(value)
  if (draft) return { draft, json, problem: null, ...judged }
  return { ...before, json, problem: 'This does not have the shape of a contract.', ...judged }
}

function judge(value: unknown): Pick<ContractDocument, 'issues' | 'contract'> {
  const issues = validateContract(value)
  return { issues, contract: issues.length === 0 ? (value as Contract) : null }
}

/** Where a syntax error is, as the browser's message tells it; null if it does not. */
export function offsetOfProblem(problem: string, json: string): number | null {
  const position = /at position (\d+)/.exec(problem)?.[1]
  if (position) return Math.min(Number(position), json.length)
  const [, line, column] = /line (\d+) column (\d+)/.exec(problem) ?? []
  if (line && column) {
    const before = json.split('\n').slice(0, Number(line) - 1)
    return before.reduce((sum, text) => sum + text.length + 1, 0) + Number(column) - 1
  }
  return /end of/i.test(problem) ? json.length : null
}
