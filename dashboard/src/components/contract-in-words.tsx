import type { Contract } from '../../../src/domain/contract/contract.ts'
import { contractInWords } from '../../../src/domain/contract/contract-in-words.ts'
import { InWords } from './in-words.tsx'

/** A contract in sentences, a paragraph each. */
export const ContractInWords = ({ contract }: { contract: Contract }) => (
  <div className="grid gap-1.5 text-pretty break-words">
    {contractInWords(contract).map((sentence) => (
      <p key={sentence}>
        <InWords text={sentence} />
      </p>
    ))}
  </div>
)
