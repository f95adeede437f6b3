import { LRUCache } from 'lru-cache'
import type { Contract } from '../core/contracts/contract.ts'
import { MAX_KNOWN_CONTRACT_BYTES } from './limits.ts'

export interface ParsedContract {
  parsed: Contract
  /** Of memory, estimated. */
  bytes: number
}

/** Many claims are under the same contract: it is parsed and held once. By hashes. */
const contracts = new LRUCache<string, ParsedContract>({
  maxSize: MAX_KNOWN_CONTRACT_BYTES,
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

/** A contract as it was read: its hash, and perhaps its text. */
export interface FoundContract {
  hash: string
  contract: string | null
}

/** Those under which a group of claims is: parsed before, or texts that were read. */
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

  /** Of one that it has. */
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
 * What a contract takes once it is parsed and its condition made ready, estimated: rather too much, whether its values are
 * many or long.
 */
function parsedBytes(text: string): number {
  let values = 1
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code === COMMA || code === BRACE || code === BRACKET) values++
  }
  return text.length * CHARACTER_BYTES + values * VALUE_BYTES
}
