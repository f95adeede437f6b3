import { formatMoney } from '../../../../src/domain/contract/format-money.ts'

interface MoneyProps {
  /** In major units; sums come as exact decimal strings. */
  amount: string | number
}

export function Money({ amount }: MoneyProps) {
  return <span className="figures whitespace-nowrap">{formatMoney(amount)}</span>
}
