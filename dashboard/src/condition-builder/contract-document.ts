import type { Contract } from '../../../src/domain/contract/contract.ts'
import { validateContract } from '../../../src/domain/contract/validate-contract.ts'
import type { Issue } from '../../../src/domain/issue.ts'
import type { Json } from '../../../src/domain/json.ts'
import type { BuilderNode } from './builder-node.ts'
import { type ContractDraft, toContract, toDraft } from './contract-draft.ts'
import { pathsOf } from './edit-node.ts'

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
  const slips = slipsOf(draft.condition, pathsOf(draft.condition, CONDITION_PATH))
  return {
    draft,
    json: JSON.stringify(value, null, 2),
    problem: null,
    issues: [...issues, ...slips],
    contract: slips.length > 0 ? null : contract,
  }
}

/** What JSON cannot tell of the rows of a match: a name that is still missing, or is there twice. */
function slipsOf(node: BuilderNode, paths: ReadonlyMap<string, string>): Issue[] {
  if (node.kind !== 'leaf') return node.children.flatMap((child) => slipsOf(child, paths))
  if (node.match?.by !== 'fields') return []
  const keys = node.match.fields.map(({ key }) => key)
  const path = `${paths.get(node.id)}.match`
  return [
    ...(keys.includes('') ? [{ path, message: 'has a field without a name' }] : []),
    ...(new Set(keys).size < keys.length ? [{ path, message: 'has a field twice' }] : []),
  ]
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
