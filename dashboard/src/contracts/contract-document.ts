import type { Contract } from '../../../src/core/contracts/contract.ts'
import { validateContract } from '../../../src/core/contracts/validate-contract.ts'
import { hasLossyNumber } from '../../../src/kernel/exact-numbers.ts'
import type { Issue } from '../../../src/kernel/issue.ts'
import type { Json } from '../../../src/kernel/json.ts'
import { LOCAL_NUMBERS } from '../format/local-number.ts'
import { LOSSY, problemOfValue } from '../format/value-text.ts'
import type { BuilderNode, LeafNode } from './builder-node.ts'
import {
  type ContractDraft,
  type DurationDraft,
  TIME_UNITS,
  toContract,
  toDraft,
  treesOf,
} from './contract-draft.ts'
import { pathsOf } from './edit-node.ts'

/** A contract that is edited as a form and as JSON. Both stay in sync. */
export interface ContractDocument {
  /** The draft of the JSON, or of the last JSON that had the structure of a contract. */
  draft: ContractDraft
  json: string
  /** Why the form does not match the JSON. Null if it matches. */
  problem: string | null
  /** The validation issues of the JSON. */
  issues: readonly Issue[]
  /** Null if the contract is invalid. */
  contract: Contract | null
}

export function documentOfDraft(draft: ContractDraft): ContractDocument {
  const value = toContract(draft)
  const { issues, contract } = validate(value)
  const typedIssues = draftIssues(draft)
  const typedPaths = new Set(typedIssues.map(({ path }) => path))
  return {
    draft,
    json: JSON.stringify(value, null, 2),
    problem: null,
    // These issues are more precise than those of the JSON.
    issues: [...issues.filter(({ path }) => !typedPaths.has(path)), ...typedIssues],
    contract: typedIssues.length > 0 ? null : contract,
  }
}

/** Issues that are lost in JSON: texts that are no numbers, missing or repeated field names of a match, and no calendar. */
function draftIssues(draft: ContractDraft): Issue[] {
  const { price, activityWindow, reviewWindow, review, clock } = draft
  return [
    ...numberIssues('contract.price', price),
    ...durationIssues('contract.activity_window', activityWindow),
    ...durationIssues('contract.review_window', reviewWindow),
    ...(review ? durationIssues('contract.review.max_duration', review.maxDuration) : []),
    ...(clock?.calendar?.id === ''
      ? [{ path: 'contract.clock.calendar', message: 'is not chosen yet' }]
      : []),
    ...treesOf(draft).flatMap(([path, root]) => conditionIssues(root, pathsOf(root, path))),
  ]
}

const durationIssues = (path: string, { text, unit }: DurationDraft): Issue[] =>
  numberIssues(path, text, TIME_UNITS[unit])

function conditionIssues(node: BuilderNode, paths: ReadonlyMap<string, string>): Issue[] {
  if (node.kind !== 'leaf') return node.children.flatMap((child) => conditionIssues(child, paths))
  const path = `${paths.get(node.id)}`
  return [
    ...node.bounds.flatMap(({ comparator, text }) => numberIssues(`${path}.${comparator}`, text)),
    ...matchIssues(node.match, `${path}.match`),
  ]
}

function matchIssues(match: LeafNode['match'], path: string): Issue[] {
  if (!match) return []
  const fields = match.by === 'fields' ? match.fields : []
  const texts = match.by === 'fields' ? fields.map(({ text }) => text) : [match.text]
  const keys = fields.map(({ key }) => key)
  return [
    ...texts.flatMap((text) => problemOfValue(text) ?? []),
    ...(keys.includes('') ? ['has a field without a name'] : []),
    ...(new Set(keys).size < keys.length ? ['has the same field twice'] : []),
  ].map((message) => ({ path, message }))
}

/** An empty text is a missing value, which validation reports. */
function numberIssues(path: string, text: string, times = 1): Issue[] {
  const { problem } = LOCAL_NUMBERS.readNumber(text, times)
  return problem && text !== '' ? [{ path, message: problem }] : []
}

/** For a stored contract, which always has the structure of a contract. */
export function documentOfContract(contract: Contract): ContractDocument {
  const draft = toDraft(contract as unknown as Json)
  if (!draft) throw new Error('a stored contract has no other fields than those of a contract')
  return { draft, json: JSON.stringify(contract, null, 2), problem: null, ...validate(contract) }
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
  const validated = validate(value)
  if (draft) return { draft, json, problem: null, ...validated }
  return { ...before, json, problem: 'This does not have the structure of a contract.', ...validated }
}

function validate(value: unknown): Pick<ContractDocument, 'issues' | 'contract'> {
  const issues = validateContract(value)
  return { issues, contract: issues.length === 0 ? (value as Contract) : null }
}

/** The offset of a syntax error in the browser's message, or null. */
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
