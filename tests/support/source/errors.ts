/* Errors: what several test files use of the source. When a source file moves, one line changes here. */

export { ERRORS } from '../../../src/kernel/error-catalogue.ts'
export { type ErrorCode, ServiceError } from '../../../src/kernel/errors.ts'
export { OperatorError } from '../../../src/kernel/operator-error.ts'
