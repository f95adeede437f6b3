import { Link } from '@tanstack/react-router'
import { type AnyClaim, nameOf } from '../api/claims.ts'
import { shortId } from '../short-id.ts'

const CLASS = 'font-medium text-ink underline-offset-4 hover:underline'

/** To a claim's page by its id, or to a candidate's by its alias. */
export function ClaimLink({ one }: { one: AnyClaim }) {
  const name = nameOf(one)
  return 'id' in one ? (
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
      {name}
    </Link>
  )
}
