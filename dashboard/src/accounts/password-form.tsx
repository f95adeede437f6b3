import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { errorsByPath } from '../api/client.ts'
import { Button } from '../components/button.tsx'
import { Card, CardBody, CardHeader } from '../components/card.tsx'
import { Form } from '../components/form.tsx'
import { FormError } from '../components/form-error.tsx'
import { useToast } from '../components/toast.tsx'
import { changePassword } from './auth-api.ts'
import { PasswordField } from './password-field.tsx'

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
      toast('Password changed. All other sessions have ended.')
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
      <CardHeader title="Password" description="Changing the password ends all other sessions." />
      <CardBody>
        <Form onSubmit={submit} className="grid gap-4">
          <PasswordField
            label="Current password"
            kind="current"
            error={errors.currentPassword}
            value={current}
            onChange={setCurrent}
          />
          <PasswordField
            label="New password"
            kind="new"
            error={errors.newPassword}
            value={chosen}
            onChange={setChosen}
          />
          <FormError error={change.error} shownPaths={['currentPassword', 'newPassword']} />
          <Button type="submit" pending={change.isPending} className="justify-self-start">
            Change password
          </Button>
        </Form>
      </CardBody>
    </Card>
  )
}
