import { Link } from '@tanstack/react-router'
import type { ClaimKind } from '../api/records.ts'
import { shortId } from '../format/short-id.ts'
import { type AnyClaim, nameOf } from './claims-api.ts'

const CLASS = 'font-medium text-ink underline-offset-4 hover:underline'

/** A link to a claim, by its reference or id, or to a candidate, by its alias. */
export const ClaimLink = ({ claim }: { claim: AnyClaim }) => (
  <LinkByName
    kind={'id' in claim ? 'claims' : 'candidates'}
    name={nameOf(claim)}
    reference={'id' in claim ? claim.reference : null}
  />
)

interface LinkByNameProps {
  kind: ClaimKind
  name: string
  /** Shown in place of a claim's id. */
  reference?: string | null
  target?: '_blank'
}

/** As `ClaimLink`, without the record. */
export const LinkByName = ({ kind, name, reference = null, ...props }: LinkByNameProps) =>
  kind === 'claims' ? (
    <Link
      {...props}
      to="/claims/$id"
      params={{ id: name }}
      className={
        reference === null ? `${CLASS} font-mono text-[0.8125rem] whitespace-nowrap` : `${CLASS} break-words`
      }
      title={name}
    >
      {reference === null ? shortId(name) : <bdi>{reference}</bdi>}
    </Link>
  ) : (
    <Link {...props} to="/candidates/$alias" params={{ alias: name }} className={`${CLASS} break-words`}>
      <bdi>{name}</bdi>
    </Link>
  )
