import { useId, useRef } from 'react'
import type { Issue } from '../../../src/kernel/issue.ts'
import { Button } from '../components/button.tsx'
import { Card, CardBody, CardHeader } from '../components/card.tsx'
import { CopyButton } from '../components/copy-button.tsx'
import { Textarea } from '../components/textarea.tsx'
import { type ContractDocument, offsetOfProblem } from '../contracts/contract-document.ts'

interface ContractJsonProps {
  document: ContractDocument
  issues: readonly Issue[]
  onChange: (json: string) => void
  /** Restores the JSON from the form. */
  onReset: () => void
}

const MAX_ISSUES_SHOWN = 5

/** Edits the contract as JSON, with its issues below. */
export function ContractJson({ document, issues, onChange, onReset }: ContractJsonProps) {
  const area = useRef<HTMLTextAreaElement>(null)
  const id = useId()
  const { json, problem } = document
  const reset = () => {
    onReset()
    // The button disappears with the problem.
    area.current?.focus()
  }
  const lines = json.split('\n').length
  return (
    <Card aria-label="JSON">
      <CardHeader
        title="JSON"
        description="Edit it here or in the form."
        actions={<CopyButton text={json} label="Copy JSON" />}
      />
      <CardBody className="grid grid-cols-1 gap-2.5">
        <Textarea
          ref={area}
          aria-label="Contract as JSON"
          data-focus="json"
          aria-invalid={problem ? true : undefined}
          aria-describedby={id}
          rows={Math.min(Math.max(lines, 10), 48)}
          spellCheck={false}
          autoCapitalize="off"
          className="resize-y font-mono text-xs leading-5 whitespace-pre max-sm:text-xs"
          value={json}
          onChange={({ target }) => onChange(target.value)}
        />
        <div id={id} role="status" className="grid gap-2 empty:hidden">
          {problem ? <Problem problem={problem} json={json} area={area} onReset={reset} /> : null}
          {issues.length > 0 ? <IssueList issues={issues} /> : null}
        </div>
      </CardBody>
    </Card>
  )
}

interface ProblemProps {
  problem: string
  json: string
  area: React.RefObject<HTMLTextAreaElement | null>
  onReset: () => void
}

function Problem({ problem, json, area, onReset }: ProblemProps) {
  const offset = offsetOfProblem(problem, json)
  const show = () => {
    area.current?.focus()
    if (offset !== null) area.current?.setSelectionRange(offset, offset + 1)
  }
  return (
    <div className="grid gap-2 rounded-lg bg-failed-soft px-3 py-2.5 text-[0.8125rem] text-failed">
      <p className="wrap-anywhere">
        {problem} {offset === null ? null : <strong>Line {json.slice(0, offset).split('\n').length}.</strong>}{' '}
        The form shows the last contract.
      </p>
      <span className="flex flex-wrap gap-2">
        {offset === null ? null : (
          <Button size="sm" onClick={show}>
            Show position
          </Button>
        )}
        <Button size="sm" onClick={onReset}>
          Restore from the form
        </Button>
      </span>
    </div>
  )
}

function IssueList({ issues }: { issues: readonly Issue[] }) {
  return (
    <ul className="grid gap-1 text-xs text-muted">
      {issues.slice(0, MAX_ISSUES_SHOWN).map(({ path, message }) => (
        <li key={`${path} ${message}`} className="wrap-anywhere">
          <code className="font-mono text-ink">{path.replace(/^contract\.?/, '') || 'contract'}</code>{' '}
          {message}
        </li>
      ))}
      {issues.length > MAX_ISSUES_SHOWN ? <li>and {issues.length - MAX_ISSUES_SHOWN} more</li> : null}
    </ul>
  )
}
