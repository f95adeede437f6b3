import { useQuery } from '@tanstack/react-query'
import type { Contract } from '../../../../src/domain/contract/contract.ts'
import { contractInWords } from '../../../../src/domain/contract/contract-in-words.ts'
import { validateContract } from '../../../../src/domain/contract/validate-contract.ts'
import type { NewClaim } from '../../api/claims.ts'
import { schemasQuery } from '../../api/schemas.ts'
import { InWords } from '../../components/in-words.tsx'
import { SchemaSelect } from '../../components/schema-select.tsx'
import { Field } from '../../components/ui/field.tsx'
import { Textarea } from '../../components/ui/textarea.tsx'

/** Where the contract comes from: a schema, or JSON if no schema is chosen. */
export interface Source {
  schemaId: string
  /** Null until it was edited. */
  json: string | null
}

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
const SAMPLE_JSON = JSON.stringify(SAMPLE, null, 2)

/** Null if the JSON is not a valid contract. */
export function sourceOf({ schemaId, json }: Source): NewClaim['source'] | null {
  if (schemaId) return { schema_id: schemaId }
  const { contract } = readContract(json ?? SAMPLE_JSON)
  return contract ? { contract } : null
}

function readContract(json: string): { contract: Contract | null; problem: string | undefined } {
  try {
    const value: unknown = JSON.parse(json)
    const [issue] = validateContract(value)
    if (issue) return { contract: null, problem: `${issue.path} ${issue.message}` }
    return { contract: value as Contract, problem: undefined }
  } catch (error) {
    return { contract: null, problem: `Not valid JSON: ${(error as Error).message}` }
  }
}

interface ContractSourceProps {
  source: Source
  onChange: (source: Source) => void
  /** Whether what is wrong is to be said. */
  isChecked: boolean
}

/** A schema or a contract, with what it says in words. */
export function ContractSource({ source, onChange, isChecked }: ContractSourceProps) {
  const { data: schemas = [] } = useQuery(schemasQuery)
  const { schemaId, json } = source
  const read = readContract(json ?? SAMPLE_JSON)
  const contract = schemaId ? schemas.find(({ id }) => id === schemaId)?.contract : read.contract
  return (
    <>
      <Field label="Contract">
        {(props) => (
          <SchemaSelect
            {...props}
            none="Written as JSON, below"
            value={schemaId}
            onChange={(chosen) => onChange({ ...source, schemaId: chosen })}
          />
        )}
      </Field>
      {schemaId ? null : (
        <Field label="Contract as JSON" error={isChecked || json !== null ? read.problem : undefined}>
          {(props) => (
            <Textarea
              {...props}
              rows={9}
              spellCheck={false}
              className="font-mono text-xs"
              value={json ?? SAMPLE_JSON}
              onChange={(event) => onChange({ ...source, json: event.target.value })}
            />
          )}
        </Field>
      )}
      {contract ? (
        <p className="rounded-lg bg-sunken px-3 py-2.5 text-[0.8125rem] text-pretty text-muted">
          <InWords text={contractInWords(contract).join(' ')} />
        </p>
      ) : null}
    </>
  )
}
