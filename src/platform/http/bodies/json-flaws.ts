import { ruleOfNumber } from '../../../core/contracts/validate-contract.ts'
import { validationError } from '../../../kernel/errors.ts'
import { findLossyNumber } from '../../../kernel/exact-numbers.ts'
import type { Json } from '../../../kernel/json.ts'
import { findJsonFlaw } from '../../../kernel/json-flaws.ts'
import { pathAt } from './json-text.ts'

/** @throws VALIDATION_ERROR at the first number that would change when it is parsed */
export function* requireExactNumbers(json: string): Generator<void, void> {
  const index = yield* findLossyNumber(json)
  if (index === null) return
  const path = pathAt(json, index)
  throw validationError([
    { path: toPath(path), message: `is a number that cannot be kept exactly; ${ruleAt(path)}` },
  ])
}

/** The advice in the error. A number of a contract cannot be sent as a string, in a body or in an item of a batch. */
function ruleAt(path: (string | number)[]): string {
  const within = path.indexOf('contract')
  const rule = within === 0 || within === 2 ? ruleOfNumber(path.slice(within + 1)) : null
  return rule ?? 'send it as a string'
}

/** @throws VALIDATION_ERROR if a part of the value cannot be stored and returned unchanged */
export function requireStorable(value: Json): void {
  const flaw = findJsonFlaw(value)
  if (flaw) throw validationError([{ path: toPath(flaw.path), message: flaw.message }])
}

const toPath = (keys: (string | number)[]) => keys.reduce<string>(join, '') || 'body'

/** `contract.fulfillment_condition.conditions[0]`: the form of all paths in error details. */
export function join(path: string, key: string | number): string {
  if (typeof key === 'number') return `${path}[${key}]`
  return path === '' ? key : `${path}.${key}`
}
