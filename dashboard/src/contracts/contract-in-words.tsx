import type { Contract } from '../../../src/core/contracts/contract.ts'
import { contractInWords } from '../../../src/core/contracts/contract-in-words.ts'
import { useCalendarName } from '../calendars/use-calendar-name.ts'
import { BidiText } from '../components/bidi-text.tsx'
import { useMoney } from '../components/use-money.ts'

/** A contract in words, one paragraph per sentence. */
export function ContractInWords({ contract }: { contract: Contract }) {
  const money = useMoney()
  const calendarName = useCalendarName(contract)
  return (
    <div className="grid gap-1.5 text-pretty break-words">
      {contractInWords(contract, money, calendarName).map((sentence) => (
        <p key={sentence}>
          <BidiText text={sentence} />
        </p>
      ))}
    </div>
  )
}
