/* Errors: what several test files use of the source. When a source file moves, one line changes here. */

export { ERRORS } from '../../../src/errors/catalogue.ts'
export { type ErrorCode, ServiceError } from '../../../src/errors.ts'
export { OperatorError } from '../../../src/operator-error.ts'
