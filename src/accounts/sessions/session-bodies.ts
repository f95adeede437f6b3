import { Type } from 'typebox'
import { MAX_EMAIL_LENGTH } from '../email.ts'
import { PASSWORD_LENGTH } from '../passwords.ts'

/* Bodies of the session API. It is the dashboard's, so the OpenAPI document does not have it. */

const Email = Type.String({ minLength: 1, maxLength: MAX_EMAIL_LENGTH })
/** One that was set before: its length may have been judged otherwise. */
const Password = Type.String({ minLength: 1, maxLength: PASSWORD_LENGTH.max })
const NewPassword = Type.String({ minLength: PASSWORD_LENGTH.min, maxLength: PASSWORD_LENGTH.max })

const closed = { additionalProperties: false }

export const SignInBody = Type.Object(
  { email: Email, password: Password, rememberMe: Type.Optional(Type.Boolean()) },
  closed,
)

export const SignUpBody = Type.Object(
  {
    email: Email,
    name: Type.String({ minLength: 1, maxLength: 255 }),
    password: NewPassword,
    invitation: Type.Optional(Type.String({ minLength: 1, maxLength: 255 })),
  },
  closed,
)

export const InvitationKeyBody = Type.Object({ key: Type.String({ minLength: 1, maxLength: 255 }) }, closed)

export const PasswordChangeBody = Type.Object(
  {
    currentPassword: Password,
    newPassword: NewPassword,
    // Other sessions end in any case.
    revokeOtherSessions: Type.Optional(Type.Boolean()),
  },
  closed,
)

export const SessionNameBody = Type.Object({ token: Type.String({ minLength: 1, maxLength: 255 }) }, closed)
