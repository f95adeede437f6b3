import { Link } from '@tanstack/react-router'
import { type AnyClaim, type ClaimKind, nameOf } from '../api/claims.ts'
import { shortId } from '../short-id.ts'

const CLASS = 'font-medium text-ink underline-offset-4 hover:underline'

/** To a claim's page by its id, or to a candidate's by its alias. */
export const ClaimLink = ({ one }: { one: AnyClaim }) => (
  <LinkByName kind={'id' in one ? 'claims' : 'candidates'} name={nameOf(one)} />
)

/** The same, of one that is known by its name alone. */
export const LinkByName = ({ kind, name }: { kind: ClaimKind; name: string }) =>
  kind === 'claims' ? (
    <Link
      to="/claims/$id"
      params={{ id: name }}
      className={`${CLASS} font-mono text-[0.8125rem] whitespace-nowrap`}
      title={name}
    >
      {shortId(name)}
    </Link>
  ) : (
    <Link to="/candidates/$alias" params={{ alias: name }} className={`${CLASS} break-words`}>
      <bdi>{name}</bdi>
    </Link>
  )
