import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi, Link, useRouter } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { Button } from '../components/button.tsx'
import { Field } from '../components/field.tsx'
import { Form } from '../components/form.tsx'
import { FormError } from '../components/form-error.tsx'
import { Input } from '../components/input.tsx'
import { sessionSettingsQuery, signIn } from './auth-api.ts'
import { PasswordField } from './password-field.tsx'
import { SignedOutLayout } from './signed-out-layout.tsx'

export function SignInPage() {
  const { next } = getRouteApi('/sign-in').useSearch()
  const { data: settings } = useQuery(sessionSettingsQuery)
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  const enter = useEnter(next)
  const signing = useMutation({ mutationFn: signIn, onSuccess: enter })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    signing.mutate({ email, password })
  }
  return (
    <SignedOutLayout title="Sign in">
      <Form onSubmit={submit} className="grid gap-4">
        <Field label="Email">
          {(props) => (
            <Input
              {...props}
              type="email"
              required
              autoComplete="username"
              value={email}
              onChange={(event) => setEmail(event.target.value)}
            />
          )}
        </Field>
        <PasswordField label="Password" kind="current" value={password} onChange={setPassword} />
        <FormError error={signing.error} />
        <Button type="submit" variant="primary" size="lg" pending={signing.isPending}>
          Sign in
        </Button>
        <p className="text-xs text-muted">
          {settings?.open_sign_up ? (
            <>
              No account yet?{' '}
              <Link to="/welcome" className="underline underline-offset-2">
                Sign up
              </Link>
            </>
          ) : (
            'No account yet? Ask for an invitation link. The link for the first account is in the start-up message of the service.'
          )}
        </p>
      </Form>
    </SignedOutLayout>
  )
}

/** Opens the next page as the account that has just signed in. */
export function useEnter(next = '/'): () => Promise<void> {
  const queryClient = useQueryClient()
  const router = useRouter()
  return async () => {
    queryClient.clear()
    await router.navigate({ href: next, replace: true })
  }
}
