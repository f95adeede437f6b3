import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Contract } from '../../../../src/core/contracts/contract.ts'
import { contractInWords } from '../../../../src/core/contracts/contract-in-words.ts'
import { validateContract } from '../../../../src/core/contracts/validate-contract.ts'
import { hasLossyNumber } from '../../../../src/kernel/exact-numbers.ts'
import type { NewClaim } from '../../api/claims.ts'
import type { ClaimSchema } from '../../api/records.ts'
import { schemasQuery } from '../../api/schemas.ts'
import { LOSSY } from '../../condition-builder/value-text.ts'
import { ContractHints } from '../contract-hints.tsx'
import { InWords } from '../in-words.tsx'
import { SchemaSelect } from '../schema-select.tsx'
import { Field } from '../ui/field.tsx'
import { Skeleton } from '../ui/skeleton.tsx'
import { Textarea } from '../ui/textarea.tsx'
import { useMoney } from '../use-money.ts'

/** What a contract of its own begins with, if there is no schema to begin with. */
const SAMPLE: Contract = {
  price: 49.5,
  activity_window: 86_400,
  review_window: 0,
  timeout_outcome: 'fail',
  fulfillment_condition: {
    op: 'AND',
    conditions: [{ event: 'ticket_resolved' }, { event: 'satisfaction', gte: 4 }],
  },
}

function readContract(json: string): { contract: Contract | null; problem: string | undefined } {
  try {
    const value: unknown = JSON.parse(json)
    if (hasLossyNumber(json)) return { contract: null, problem: `It ${LOSSY}` }
    const [issue] = validateContract(value)
    if (issue) return { contract: null, problem: `${issue.path} ${issue.message}` }
    return { contract: value as Contract, problem: undefined }
  } catch (error) {
    return { contract: null, problem: `Not valid JSON: ${(error as Error).message}` }
  }
}

/** What it begins with: a schema, a contract, or a contract of a schema that may be another by now. */
export interface ContractBeginning {
  schemaId?: string
  contract?: Contract
}

/** Where a contract comes from: a schema, at first the newest, or JSON, which begins as that schema's. */
export function useContractSource(begin: ContractBeginning) {
  const { data: schemas = [], isPending } = useQuery(schemasQuery)
  /** Empty for a contract of its own. */
  const [chosen, choose] = useState<string | null>(null)
  const [written, write] = useState<string | null>(null)
  const newest = schemas.at(-1)
  const isOutdated = begin.contract !== undefined && !hasContract(schemas, begin.schemaId, begin.contract)
  const begun = isOutdated ? '' : begin.schemaId
  const schemaId = chosen ?? begun ?? newest?.id ?? ''
  const json = written ?? JSON.stringify(begin.contract ?? newest?.contract ?? SAMPLE, null, 2)
  const { contract: own, problem } = readContract(json)
  const contract = schemaId === '' ? own : (schemas.find(({ id }) => id === schemaId)?.contract ?? null)
  const given = schemaId === '' ? own && { contract: own } : { schema_id: schemaId }
  return {
    schemaId,
    choose,
    json,
    write,
    isWritten: written !== null,
    /** The schema that it would have begun with has another contract by now, or is gone. */
    isOutdated: isOutdated && begin.schemaId !== undefined,
    problem,
    contract,
    isPending,
    /** Null if there is none yet, or none that is valid. */
    given: (isPending ? null : given) satisfies NewClaim['source'] | null,
  }
}

/** To the letter: what is created of it is to have the very contract. */
const hasContract = (schemas: readonly ClaimSchema[], id: string | undefined, contract: Contract): boolean =>
  schemas.some((schema) => schema.id === id && JSON.stringify(schema.contract) === JSON.stringify(contract))

interface ContractSourceProps {
  source: ReturnType<typeof useContractSource>
  /** Whether what is wrong is to be said. */
  isChecked: boolean
}

/** A schema or a contract, with what it says in words. */
export function ContractSource({ source, isChecked }: ContractSourceProps) {
  const money = useMoney()
  const { schemaId, choose, json, write, isWritten, problem, contract } = source
  if (source.isPending) return <Skeleton className="h-16" />
  return (
    <>
      <Field label="Contract">
        {(props) => (
          <SchemaSelect
            {...props}
            none="A contract of its own, as JSON below"
            value={schemaId}
            onChange={choose}
          />
        )}
      </Field>
      {schemaId ? null : (
        <Field
          label="Contract as JSON"
          hint={
            source.isOutdated && !isWritten
              ? 'The original’s own contract: its schema was changed or deleted since.'
              : undefined
          }
          error={isChecked || isWritten ? problem : undefined}
        >
          {(props) => (
            <Textarea
              {...props}
              rows={9}
              spellCheck={false}
              className="font-mono text-xs"
              value={json}
              onChange={(event) => write(event.target.value)}
            />
          )}
        </Field>
      )}
      {contract ? (
        <>
          <p className="rounded-lg bg-sunken px-3 py-2.5 text-[0.8125rem] text-pretty text-muted">
            <InWords text={contractInWords(contract, money).join(' ')} />
          </p>
          <ContractHints contract={contract} />
        </>
      ) : null}
    </>
  )
}
