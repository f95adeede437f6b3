import { Ban, Check, CircleDashed, Minus } from 'lucide-react'
import type { Condition, Leaf } from '../../../src/core/contracts/condition.ts'
import { eventInWords } from '../../../src/core/contracts/contract-in-words.ts'
import type { ExplainedCondition } from '../../../src/core/contracts/explain.ts'
import { BidiText } from '../components/bidi-text.tsx'
import { cn } from '../components/cn.ts'
import { LOCAL_NUMBERS } from '../format/local-number.ts'

interface ConditionTreeProps {
  /** A condition. If it is explained, each node shows whether it is satisfied. */
  condition: Condition | ExplainedCondition
  /** Renders a link to an event that satisfies a leaf. */
  renderEvent?: (id: string) => React.ReactNode
}

/** The condition as a tree. Satisfied nodes are marked by colour, icon and label. */
export function ConditionTree({ condition, renderEvent }: ConditionTreeProps) {
  return (
    <ul className="grid gap-2">
      <Node condition={condition} renderEvent={renderEvent} />
    </ul>
  )
}

interface NodeProps {
  condition: Condition | ExplainedCondition
  renderEvent: ConditionTreeProps['renderEvent']
}

const OPERATORS = {
  AND: ['All of these', 'all are needed'],
  OR: ['Any of these', 'one is enough'],
  NOT: ['Not this', 'true until it happens'],
} as const

function Node({ condition, renderEvent }: NodeProps) {
  if (!('op' in condition)) return <LeafNode leaf={condition} renderEvent={renderEvent} />
  const children: (Condition | ExplainedCondition)[] =
    condition.op === 'NOT' ? [condition.condition] : condition.conditions
  const [name, meaning] = OPERATORS[condition.op]
  return (
    <li className="min-w-0">
      <div className="flex items-center gap-2">
        <Truth satisfied={truthOf(condition)} isNot={condition.op === 'NOT'} />
        <span className="font-medium">{name}</span>
        <span className="text-xs text-muted max-sm:hidden">
          {children.length === 0
            ? condition.op === 'AND'
              ? 'empty: always true'
              : 'empty: never true'
            : meaning}
        </span>
      </div>
      <ul
        className={cn(
          'mt-2 ml-2.5 grid gap-2 border-l-2 pl-4',
          truthOf(condition) ? 'border-confirmed/50' : 'border-line',
        )}
      >
        {children.map((child, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a contract never changes
          <Node key={i} condition={child} renderEvent={renderEvent} />
        ))}
      </ul>
    </li>
  )
}

/** A leaf, explained or not. */
type ShownLeaf = Leaf & { satisfied_by?: string[]; value?: string; left_out?: number }

function LeafNode({ leaf, renderEvent }: { leaf: ShownLeaf } & Pick<NodeProps, 'renderEvent'>) {
  const events = leaf.satisfied_by ?? []
  return (
    <li className="flex min-w-0 items-start gap-2">
      <Truth satisfied={truthOf(leaf)} />
      <div className="min-w-0">
        <BidiText text={eventInWords(leaf)} />
        {leaf.aggregate && leaf.value !== undefined ? <Progress leaf={leaf} value={leaf.value} /> : null}
        {events.length > 0 ? (
          <span className="flex flex-wrap gap-x-2 text-xs text-muted">
            {leaf.aggregate ? 'counted' : 'satisfied by'}{' '}
            {events.map((id) => (
              <span key={id}>{renderEvent?.(id) ?? <bdi>{id}</bdi>}</span>
            ))}
          </span>
        ) : null}
      </div>
    </li>
  )
}

/** The value of an aggregate: "4 of 5" with a bar, if there is a number to reach. */
function Progress({ leaf, value }: { leaf: ShownLeaf; value: string }) {
  const { gte, gt, lt, lte, eq, left_out = 0 } = leaf
  const isOnlyAtLeast = gte !== undefined && [gt, lt, lte, eq].every((bound) => bound === undefined)
  const goal = gte ?? gt ?? eq
  const share = goal !== undefined && goal > 0 ? Math.min(Math.max(Number(value) / goal, 0), 1) : null
  return (
    <span className="mt-1 grid w-56 max-w-full gap-1 text-xs text-muted">
      {share === null ? null : (
        <span aria-hidden className="h-1.5 overflow-hidden rounded-full bg-sunken">
          <span
            className={cn('block h-full rounded-full', truthOf(leaf) ? 'bg-confirmed' : 'bg-accent')}
            style={{ width: `${share * 100}%` }}
          />
        </span>
      )}
      <span>
        <strong className="figures font-semibold text-ink">{shown(value)}</strong>
        {isOnlyAtLeast ? ` of ${shown(gte)}` : ' so far'}
        {left_out > 0
          ? `. ${left_out === 1 ? '1 event has' : `${shown(left_out)} events have`} no such value.`
          : ''}
      </span>
    </span>
  )
}

const shown = (value: number | string): string => LOCAL_NUMBERS.writeDecimal(String(value))

const truthOf = (condition: object): boolean | undefined =>
  'satisfied' in condition ? (condition.satisfied as boolean) : undefined

function Truth({ satisfied, isNot = false }: { satisfied: boolean | undefined; isNot?: boolean }) {
  if (satisfied === undefined) {
    const Icon = isNot ? Ban : Minus
    return <Icon aria-hidden className="mt-0.5 size-4 shrink-0 text-muted" />
  }
  return (
    <span
      className={cn(
        'mt-px grid size-5 shrink-0 place-items-center rounded-full',
        satisfied ? 'bg-confirmed-soft text-confirmed' : 'bg-sunken text-muted',
      )}
    >
      {satisfied ? (
        <Check aria-label="Satisfied:" className="size-3.5" />
      ) : (
        <CircleDashed aria-label="Not satisfied:" className="size-3.5" />
      )}
    </span>
  )
}
