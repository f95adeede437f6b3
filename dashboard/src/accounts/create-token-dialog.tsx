import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { MAX_NAME_LENGTH } from '../../../src/core/limits.ts'
import { errorsByPath } from '../api/client.ts'
import { Button } from '../components/button.tsx'
import { CodeBlock } from '../components/code-block.tsx'
import { Dialog, DialogActions, SubmitActions } from '../components/dialog.tsx'
import { Field } from '../components/field.tsx'
import { Form } from '../components/form.tsx'
import { FormError } from '../components/form-error.tsx'
import { Input } from '../components/input.tsx'
import { Secret } from '../components/secret.tsx'
import { useLocalTime } from '../components/use-local-time.ts'
import { createToken } from './tokens-api.ts'

interface CreateTokenDialogProps {
  open: boolean
  onOpenChange: (open: boolean) => void
}

export function CreateTokenDialog({ open, onOpenChange }: CreateTokenDialogProps) {
  const [token, setToken] = useState<string | null>(null)
  const change = (isOpen: boolean) => {
    if (!isOpen) setToken(null)
    onOpenChange(isOpen)
  }
  return (
    <Dialog
      open={open}
      onOpenChange={change}
      isHeld={token !== null}
      title={token ? 'Copy the token now' : 'Create a token'}
      description={token ? 'It is shown only once. The service stores only its hash.' : undefined}
    >
      {token ? <NewToken token={token} onDone={() => change(false)} /> : <TokenForm onCreated={setToken} />}
    </Dialog>
  )
}

function TokenForm({ onCreated }: { onCreated: (token: string) => void }) {
  const [name, setName] = useState('')
  const { timeZone, startOfDay } = useLocalTime()
  const [lastDay, setLastDay] = useState('')
  const queryClient = useQueryClient()
  const creation = useMutation({
    mutationFn: createToken,
    onSuccess: ({ token }) => {
      void queryClient.invalidateQueries({ queryKey: ['tokens'] })
      onCreated(token)
    },
  })
  const errors = errorsByPath(creation.error)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const nextDay = startOfDay(lastDay, 1)
    creation.mutate({ name, ...(nextDay ? { expires_at: lastMomentBefore(nextDay) } : {}) })
  }
  return (
    <Form onSubmit={submit} className="grid gap-4">
      <Field label="Name" hint="The program that uses it, for example nightly-import." error={errors.name}>
        {(props) => (
          <Input
            {...props}
            required
            maxLength={MAX_NAME_LENGTH}
            value={name}
            onChange={(event) => setName(event.target.value)}
          />
        )}
      </Field>
      <Field
        label="Last day (optional)"
        hint={`In ${timeZone}. Without a last day, the token is valid until it is revoked.`}
        error={errors.expires_at}
      >
        {(props) => (
          <Input
            {...props}
            type="date"
            value={lastDay}
            onChange={(event) => setLastDay(event.target.value)}
          />
        )}
      </Field>
      <FormError error={creation.error} shownPaths={['name', 'expires_at']} />
      <SubmitActions action="Create token" pending={creation.isPending} />
    </Form>
  )
}

const lastMomentBefore = (time: string): string => new Date(Date.parse(time) - 1).toISOString()

function NewToken({ token, onDone }: { token: string; onDone: () => void }) {
  const curl = `curl -sS ${location.origin}/v1/claims -H 'Authorization: Bearer ${token}'`
  return (
    <div className="grid gap-4">
      <Secret text={token} label="token" />
      <div className="grid gap-1.5">
        <p className="text-[0.8125rem] text-muted">Try it in a terminal:</p>
        <CodeBlock text={curl} label="command" wrap />
      </div>
      <DialogActions>
        <Button variant="primary" onClick={onDone}>
          I have copied it
        </Button>
      </DialogActions>
    </div>
  )
}
