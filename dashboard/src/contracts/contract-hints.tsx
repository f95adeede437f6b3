import { useQuery } from '@tanstack/react-query'
import { Lightbulb } from 'lucide-react'
import { useMemo } from 'react'
import type { Contract } from '../../../src/core/contracts/contract.ts'
import { hintsOf } from '../../../src/core/contracts/hints/hints.ts'
import { accountQuery } from '../api/account.ts'
import { eventTypesQuery } from '../events/event-types-api.ts'

interface ContractHintsProps {
  contract: Contract
  /** Shows the node at a path of the contract; without it, paths are plain text. */
  onShow?: (path: string) => void
}

/** Hints about a valid contract. They do not block saving and do not look like errors. */
export function ContractHints({ contract, onShow }: ContractHintsProps) {
  const { data: types } = useQuery(eventTypesQuery)
  const { data: account } = useQuery(accountQuery)
  const currency = account?.currency ?? null
  const hints = useMemo(() => hintsOf(contract, new Set(types), currency), [contract, types, currency])
  return <HintList hints={hints} onShow={onShow} />
}

interface HintListProps {
  hints: readonly { code: string; path: string; message: string }[]
  onShow?: ContractHintsProps['onShow']
}

/** Nothing if there are no hints. */
export function HintList({ hints, onShow }: HintListProps) {
  if (hints.length === 0) return null
  return (
    <section
      aria-label="Hints"
      className="flex gap-2.5 rounded-lg border px-3 py-2.5 text-[0.8125rem] text-muted"
    >
      <Lightbulb aria-hidden className="mt-0.5 size-4 shrink-0 text-accent" />
      <ul className="grid min-w-0 gap-2">
        {hints.map(({ code, path, message }) => (
          <li
            key={`${code} ${path} ${message}`}
            className="grid justify-items-start gap-0.5 text-pretty [overflow-wrap:anywhere]"
          >
            <Place path={path} onShow={onShow} />
            <p>{message}</p>
          </li>
        ))}
      </ul>
    </section>
  )
}

function Place({ path, onShow }: { path: string; onShow: ContractHintsProps['onShow'] }) {
  const name = <code className="font-mono text-xs text-ink">{path}</code>
  if (!onShow) return name
  return (
    <button
      type="button"
      aria-label={`Show ${path}`}
      className="text-left underline underline-offset-4"
      onClick={() => onShow(path)}
    >
      {name}
    </button>
  )
}
