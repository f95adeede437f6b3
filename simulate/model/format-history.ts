import type { ClaimHistory, Submission, Verdict } from './claim-history.ts'
import { canonical } from './json.ts'
import type { LogItem } from './replay.ts'

/** The requests and observations of a claim in the order of sending, and its log, as lines for people. */
export function formatHistory(history: ClaimHistory): string[] {
  const since = history.terms.createdAt
  const time = (at: number) => (Number.isFinite(at) ? `${((at - since) / 1000).toFixed(3)} s` : 'never')
  const done = history.submissions.map((submission) => ({
    at: submission.sentAt,
    line: `${submission.source}: ${contentOf(submission)} ${argumentsOf(submission.verdict)}, ${time(submission.answeredAt)}`,
  }))
  const seen = history.reads.map(({ source, sentAt, answeredAt, state, items }) => ({
    at: sentAt,
    line: `${source}: ${canonical({ ...state })}${items === null ? '' : `, ${items} items`}, ${time(answeredAt)}`,
  }))
  return [
    `${history.name}, created at ${new Date(since).toISOString()} under ${JSON.stringify(history.terms.contract)}`,
    ...[...done, ...seen].sort((a, b) => a.at - b.at).map(({ at, line }) => `${time(at)}  ${line}`),
    'its log:',
    ...history.longest.map(lineOf),
  ]
}

const contentOf = ({ id, type, payload }: Submission) =>
  `${id ?? '(no id)'} ${type} ${JSON.stringify(payload)}`

function argumentsOf(verdict: Verdict): string {
  if (verdict.kind === 'not open') return `not open, but ${verdict.status}`
  if (verdict.kind === 'unknown') return `unknown (${verdict.why})`
  if (verdict.kind === 'refused') return verdict.status === 0 ? 'not sent' : `refused with ${verdict.status}`
  return verdict.kind
}

const lineOf = (item: LogItem, i: number) => `${i + 1}  ${JSON.stringify(item)}`
