import { useMoney } from './use-money.ts'

interface MoneyProps {
  /** In major units. Sums are exact decimal strings. */
  amount: string | number
}

export function Money({ amount }: MoneyProps) {
  return <span className="figures whitespace-nowrap">{useMoney()(amount)}</span>
}
