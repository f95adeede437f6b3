import { LRUCache } from 'lru-cache'
import type { Contract } from '../core/contracts/contract.ts'
import { MAX_CACHED_CONTRACT_BYTES } from './limits.ts'

export interface ParsedContract {
  parsed: Contract
  /** Estimated bytes of memory. */
  bytes: number
}

/** Parsed contracts by hash. Many claims share a contract. */
const contracts = new LRUCache<string, ParsedContract>({
  maxSize: MAX_CACHED_CONTRACT_BYTES,
  sizeCalculation: ({ bytes }) => bytes,
})

export function parseContract(text: string, hash: string): ParsedContract {
  let contract = contracts.get(hash)
  if (!contract) {
    contract = { parsed: JSON.parse(text) as Contract, bytes: parsedBytes(text) }
    contracts.set(hash, contract)
  }
  return contract
}

/** A contract that a statement has read: its hash, and its text unless the statement left it out. */
export interface FoundContract {
  hash: string
  contract: string | null
}

/** The contracts of a group of claims: cached ones, and texts that were read. */
export class ContractsOfGroup {
  readonly #byHash = new Map<string, ParsedContract | string>()

  add(found: readonly FoundContract[]): void {
    for (const { hash, contract } of found) {
      if (this.#byHash.has(hash)) continue
      const one = contracts.get(hash) ?? contract
      if (one !== null) this.#byHash.set(hash, one)
    }
  }

  has({ hash }: FoundContract): boolean {
    return this.#byHash.has(hash)
  }

  /** The contract must be in the group. */
  parsed({ hash }: FoundContract): ParsedContract {
    const one = this.#byHash.get(hash) as ParsedContract | string
    if (typeof one !== 'string') return one
    const parsed = parseContract(one, hash)
    this.#byHash.set(hash, parsed)
    return parsed
  }
}

const [CHARACTER_BYTES, VALUE_BYTES] = [2, 80]
const [COMMA, BRACE, BRACKET] = [0x2c, 0x7b, 0x5b]

/**
 * Estimated bytes of a parsed contract with its compiled condition. Rather too high, for many short values and for
 * few long ones.
 */
function parsedBytes(text: string): number {
  let values = 1
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code === COMMA || code === BRACE || code === BRACKET) values++
  }
  return text.length * CHARACTER_BYTES + values * VALUE_BYTES
}
