import type { ReactNode } from 'react'
import type { GuardedSaving } from '../use-guarded-save.ts'
import { Button } from './ui/button.tsx'
import { Dialog, DialogActions } from './ui/dialog.tsx'
import { FormError } from './ui/form-error.tsx'
import { Table, Td, Th, Tr } from './ui/table.tsx'

interface ConflictDialogProps<Values> {
  /** Such as "schema". */
  kind: string
  saving: GuardedSaving<Values>
  /** What each field says, by its label. */
  texts: Record<string, (values: Values) => string>
}

/** What one has typed and what somebody else has saved meanwhile, where they differ: one of the two is to be chosen. */
export function ConflictDialog<Values>({ kind, saving, texts }: ConflictDialogProps<Values>) {
  const { conflict, overwrite, takeTheirs, keepEditing } = saving
  const fields = Object.entries(texts).map(([label, textOf]) => ({
    label,
    mine: conflict && textOf(conflict.mine),
    theirs: conflict && textOf(conflict.theirs),
  }))
  const differing = fields.filter(({ mine, theirs }) => mine !== theirs)
  return (
    <Dialog
      open={conflict !== null}
      onOpenChange={keepEditing}
      title={`The ${kind} was changed meanwhile`}
      description="Since you opened it, somebody else has saved it, or you in another tab. Nothing of yours was saved yet."
      className="w-[min(52rem,calc(100vw-2rem))]"
    >
      <Table aria-label="What differs">
        <thead>
          <tr>
            <Th>Field</Th>
            <Th className="w-2/5">Yours</Th>
            <Th className="w-2/5">Saved meanwhile</Th>
          </tr>
        </thead>
        <tbody>
          {differing.map(({ label, mine, theirs }) => (
            <Tr key={label}>
              <th scope="row" className="py-2.5 pr-4 pl-5 align-top font-medium">
                {label}
              </th>
              <Side>{mine}</Side>
              <Side>{theirs}</Side>
            </Tr>
          ))}
        </tbody>
      </Table>
      <FormError error={saving.error} />
      <DialogActions>
        <Button onClick={keepEditing}>Keep editing</Button>
        <Button onClick={takeTheirs}>Take theirs</Button>
        <Button variant="danger" pending={saving.isPending} onClick={overwrite}>
          Save mine over it
        </Button>
      </DialogActions>
    </Dialog>
  )
}

/** A condition may be long: it scrolls in its place. */
const Side = ({ children }: { children: ReactNode }) => (
  <Td className="align-top">
    <pre
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
      tabIndex={0}
      className="max-h-64 overflow-auto font-mono text-xs leading-5 break-words whitespace-pre-wrap"
    >
      {children}
    </pre>
  </Td>
)
