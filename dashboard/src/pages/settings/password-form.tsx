import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { changePassword } from '../../api/auth.ts'
import { errorsByPath } from '../../api/client.ts'
import { Button } from '../../components/ui/button.tsx'
import { Card, CardBody, CardHeader } from '../../components/ui/card.tsx'
import { Field } from '../../components/ui/field.tsx'
import { FormError } from '../../components/ui/form-error.tsx'
import { Input } from '../../components/ui/input.tsx'
import { useToast } from '../../components/ui/toast.tsx'
import { LEAST_PASSWORD_LENGTH } from '../../least-password-length.ts'

export function PasswordForm() {
  const [current, setCurrent] = useState('')
  const [chosen, setChosen] = useState('')
  const queryClient = useQueryClient()
  const toast = useToast()
  const change = useMutation({
    mutationFn: changePassword,
    onSuccess: () => {
      setCurrent('')
      setChosen('')
      toast('Password changed; all other sessions have ended')
      void queryClient.invalidateQueries({ queryKey: ['sessions'] })
    },
  })
  const errors = errorsByPath(change.error)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    change.mutate({ currentPassword: current, newPassword: chosen })
  }
  return (
    <Card aria-label="Password">
      <CardHeader title="Password" description="Changing it signs you out everywhere else." />
      <CardBody>
        <form onSubmit={submit} className="grid gap-4">
          <Field label="Present password" error={errors.currentPassword}>
            {(props) => (
              <Input
                {...props}
                type="password"
                required
                autoComplete="current-password"
                value={current}
                onChange={(event) => setCurrent(event.target.value)}
              />
            )}
          </Field>
          <Field
            label="New password"
            hint={`At least ${LEAST_PASSWORD_LENGTH} characters.`}
            error={errors.newPassword}
          >
            {(props) => (
              <Input
                {...props}
                type="password"
                required
                minLength={LEAST_PASSWORD_LENGTH}
                autoComplete="new-password"
                value={chosen}
                onChange={(event) => setChosen(event.target.value)}
              />
            )}
          </Field>
          <FormError error={change.error} shownPaths={['currentPassword', 'newPassword']} />
          <Button type="submit" pending={change.isPending} className="justify-self-start">
            Change password
          </Button>
        </form>
      </CardBody>
    </Card>
  )
}
