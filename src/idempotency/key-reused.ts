import { ServiceError } from '../kernel/errors.ts'

export const keyReused = (): ServiceError =>
  new ServiceError(
    'IDEMPOTENCY_KEY_REUSED',
    'The Idempotency-Key was used for another request, or with another body. Nothing was done.',
  )
