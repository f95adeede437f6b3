import { useMutation, useQuery } from '@tanstack/react-query'
import { Link, useLocation } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { ApiError, errorsByPath } from '../api/client.ts'
import { Button, buttonVariants } from '../components/button.tsx'
import { ErrorState } from '../components/error-state.tsx'
import { Field } from '../components/field.tsx'
import { Form } from '../components/form.tsx'
import { FormError } from '../components/form-error.tsx'
import { Input } from '../components/input.tsx'
import { Skeleton } from '../components/skeleton.tsx'
import { openInvitationQuery, sessionSettingsQuery, signUp } from './auth-api.ts'
import { PasswordField } from './password-field.tsx'
import { useEnter } from './sign-in-page.tsx'
import { SignedOutLayout } from './signed-out-layout.tsx'

/** Sign-up by a one-time link, whose key is in the URL fragment, or without a link if sign-up is open. */
export function WelcomePage() {
  const key = new URLSearchParams(useLocation().hash).get('key')
  return key ? <InvitedSignUp invitation={key} /> : <OpenSignUp />
}

function InvitedSignUp({ invitation }: { invitation: string }) {
  const { data, error, refetch } = useQuery(openInvitationQuery(invitation))
  if (error instanceof ApiError && error.status === 404) return <InvalidLink />
  if (error) return <Problem error={error} retry={refetch} />
  if (!data) return <Loading />
  const isFirst = data.purpose === 'first-account'
  return (
    <SignedOutLayout
      title={isFirst ? 'Welcome to Claimkeeper' : 'You are invited'}
      description={
        isFirst
          ? 'Choose how you sign in. You take over the first account and its API token, created when the service first started.'
          : 'Choose how you sign in.'
      }
    >
      <SignUpForm email={data.email ?? ''} invitation={invitation} />
    </SignedOutLayout>
  )
}

function OpenSignUp() {
  const { data, error, refetch } = useQuery(sessionSettingsQuery)
  if (error) return <Problem error={error} retry={refetch} />
  if (!data) return <Loading />
  if (!data.open_sign_up) return <InvalidLink />
  return (
    <SignedOutLayout title="Sign up" description="Choose how you sign in.">
      <SignUpForm email="" />
    </SignedOutLayout>
  )
}

const Loading = () => (
  <SignedOutLayout title="Welcome">
    <Skeleton className="h-64" />
  </SignedOutLayout>
)

const Problem = ({ error, retry }: { error: unknown; retry: () => void }) => (
  <SignedOutLayout title="Welcome">
    <ErrorState error={error} retry={retry} />
  </SignedOutLayout>
)

const InvalidLink = () => (
  <SignedOutLayout
    title="This link does not work"
    description="It was already used, has expired, or was not copied completely. Ask for a new link."
  >
    <Link to="/sign-in" className={buttonVariants({ variant: 'primary' })}>
      Sign in
    </Link>
  </SignedOutLayout>
)

function SignUpForm({ email: invited, invitation }: { email: string; invitation?: string }) {
  const [email, setEmail] = useState(invited)
  const [name, setName] = useState('')
  const [password, setPassword] = useState('')
  const enter = useEnter()
  const signing = useMutation({ mutationFn: signUp, onSuccess: enter })
  const errors = errorsByPath(signing.error)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    signing.mutate({ email, name, password, ...(invitation ? { invitation } : {}) })
  }
  return (
    <Form onSubmit={submit} className="grid gap-4">
      <Field label="Name" error={errors.name}>
        {(props) => (
          <Input
            {...props}
            required
            autoComplete="name"
            value={name}
            onChange={(event) => setName(event.target.value)}
          />
        )}
      </Field>
      <Field label="Email" error={errors.email}>
        {(props) => (
          <Input
            {...props}
            type="email"
            required
            autoComplete="username"
            readOnly={invited !== ''}
            value={email}
            onChange={(event) => setEmail(event.target.value)}
          />
        )}
      </Field>
      <PasswordField
        label="Password"
        kind="new"
        error={errors.password}
        value={password}
        onChange={setPassword}
      />
      <FormError error={signing.error} shownPaths={['name', 'email', 'password']} />
      <Button type="submit" variant="primary" size="lg" pending={signing.isPending}>
        Create account
      </Button>
    </Form>
  )
}
