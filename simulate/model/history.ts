import { canonical } from './json.ts'
import type { LogItem } from './replay.ts'
import type { Story, Submission, Verdict } from './story.ts'

/** The requests and observations of a claim in the order of sending, and its log, as lines for people. */
export function historyOf(story: Story): string[] {
  const since = story.terms.createdAt
  const time = (at: number) => (Number.isFinite(at) ? `${((at - since) / 1000).toFixed(3)} s` : 'never')
  const done = story.submissions.map((submission) => ({
    at: submission.sentAt,
    line: `${submission.how}: ${contentOf(submission)} ${argumentsOf(submission.verdict)}, ${time(submission.answeredAt)}`,
  }))
  const seen = story.looks.map(({ how, sentAt, answeredAt, state, items }) => ({
    at: sentAt,
    line: `${how}: ${canonical({ ...state })}${items === null ? '' : `, ${items} items`}, ${time(answeredAt)}`,
  }))
  return [
    `${story.name}, created at ${new Date(since).toISOString()} under ${JSON.stringify(story.terms.contract)}`,
    ...[...done, ...seen].sort((a, b) => a.at - b.at).map(({ at, line }) => `${time(at)}  ${line}`),
    'its log:',
    ...story.longest.map(lineOf),
  ]
}

const contentOf = ({ id, type, payload }: Submission) =>
  `${id ?? '(no id)'} ${type} ${JSON.stringify(payload)}`

function argumentsOf(verdict: Verdict): string {
  if (verdict.is === 'not open') return `not open, but ${verdict.status}`
  if (verdict.is === 'unknown') return `unknown (${verdict.why})`
  if (verdict.is === 'refused') return `refused with ${verdict.status || 'nobody there'}`
  return verdict.is
}

const lineOf = (item: LogItem, i: number) => `${i + 1}  ${JSON.stringify(item)}`
