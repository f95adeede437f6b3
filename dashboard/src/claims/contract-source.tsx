import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Contract } from '../../../src/core/contracts/contract.ts'
import { contractInWords } from '../../../src/core/contracts/contract-in-words.ts'
import { validateContract } from '../../../src/core/contracts/validate-contract.ts'
import { hasLossyNumber } from '../../../src/kernel/exact-numbers.ts'
import type { ClaimSchema } from '../api/records.ts'
import { useCalendarName } from '../calendars/use-calendar-name.ts'
import { SchemaSelect } from '../claim-schemas/schema-select.tsx'
import { schemasQuery } from '../claim-schemas/schemas-api.ts'
import { BidiText } from '../components/bidi-text.tsx'
import { Field } from '../components/field.tsx'
import { Skeleton } from '../components/skeleton.tsx'
import { Textarea } from '../components/textarea.tsx'
import { useMoney } from '../components/use-money.ts'
import { ContractHints } from '../contracts/contract-hints.tsx'
import { LOSSY } from '../format/value-text.ts'
import type { NewClaim } from './claims-api.ts'

/** The initial custom contract if the account has no schema. */
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

/** Initial values: a schema, a contract, or the contract of a schema that may have changed since. */
export interface ContractDefaults {
  schemaId?: string
  contract?: Contract
}

/** The contract of a new claim: a schema, by default the newest, or JSON, by default the newest schema's contract. */
export function useContractSource(defaults: ContractDefaults) {
  const { data: schemas = [], isPending } = useQuery(schemasQuery)
  /** Empty for a custom contract. */
  const [chosen, choose] = useState<string | null>(null)
  const [written, write] = useState<string | null>(null)
  const newest = schemas.at(-1)
  const isOutdated =
    defaults.contract !== undefined && !hasContract(schemas, defaults.schemaId, defaults.contract)
  const defaultSchemaId = isOutdated ? '' : defaults.schemaId
  const schemaId = chosen ?? defaultSchemaId ?? newest?.id ?? ''
  const json = written ?? JSON.stringify(defaults.contract ?? newest?.contract ?? SAMPLE, null, 2)
  const { contract: own, problem } = readContract(json)
  const schema = schemas.find(({ id }) => id === schemaId)
  const contract = schemaId === '' ? own : (schema?.contract ?? null)
  const given = schemaId === '' ? own && { contract: own } : { schema_id: schemaId }
  return {
    schemaId,
    choose,
    json,
    write,
    isWritten: written !== null,
    /** The initial schema has another contract by now, or was deleted. */
    isOutdated: isOutdated && defaults.schemaId !== undefined,
    problem,
    contract,
    /** Of the schema. */
    reminders: schema?.reminders ?? [],
    isPending,
    /** Null while loading, or if the contract is not valid. */
    given: (isPending ? null : given) satisfies NewClaim['source'] | null,
  }
}

/** Compared as JSON text, because the new claim must have exactly this contract. */
const hasContract = (schemas: readonly ClaimSchema[], id: string | undefined, contract: Contract): boolean =>
  schemas.some((schema) => schema.id === id && JSON.stringify(schema.contract) === JSON.stringify(contract))

interface ContractSourceProps {
  source: ReturnType<typeof useContractSource>
  /** Whether errors are shown. */
  isChecked: boolean
}

function InWords({ contract }: { contract: Contract }) {
  const words = contractInWords(contract, useMoney(), useCalendarName(contract))
  return (
    <p className="rounded-lg bg-sunken px-3 py-2.5 text-[0.8125rem] text-pretty text-muted">
      <BidiText text={words.join(' ')} />
    </p>
  )
}

/** The choice of a schema or custom contract, and the contract in words. */
export function ContractSource({ source, isChecked }: ContractSourceProps) {
  const { schemaId, choose, json, write, isWritten, problem, contract } = source
  if (source.isPending) return <Skeleton className="h-16" />
  return (
    <>
      <Field label="Contract">
        {(props) => (
          <SchemaSelect {...props} none="Custom contract (JSON below)" value={schemaId} onChange={choose} />
        )}
      </Field>
      {schemaId ? null : (
        <Field
          label="Contract as JSON"
          hint={
            source.isOutdated && !isWritten
              ? 'The contract of the original. Its schema has been changed or deleted since.'
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
          <InWords contract={contract} />
          <ContractHints contract={contract} />
        </>
      ) : null}
    </>
  )
}
