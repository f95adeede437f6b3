import { isUtf8 } from 'node:buffer'
import { buffer } from 'node:stream/consumers'
import type { Contract } from '../core/contracts/contract.ts'
import { validateContract } from '../core/contracts/validate-contract.ts'
import { findLossyNumber } from '../kernel/exact-numbers.ts'
import { OperatorError } from '../kernel/operator-error.ts'
import { atOnce } from '../platform/concurrency/in-slices.ts'
import { inputName, openInput } from '../platform/terminal/input-file.ts'

/** @param path "-" for standard input @throws OperatorError that lists all issues of the contract */
export async function readContract(path: string): Promise<Contract> {
  const value = parse(inputName(path), await readText(path))
  const issues = validateContract(value)
  if (issues.length === 0) return value as Contract
  const all = issues.map((issue) => `${issue.path} ${issue.message}`).join('; ')
  throw new OperatorError(`${inputName(path)} is not a contract: ${all}`)
}

async function readText(path: string): Promise<string> {
  const bytes = await readBytes(path)
  if (isUtf8(bytes)) return bytes.toString('utf8')
  throw new OperatorError(`the contract ${inputName(path)} is not valid UTF-8: save it as UTF-8`)
}

async function readBytes(path: string): Promise<Buffer> {
  try {
    return await buffer(openInput(path))
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    throw new OperatorError(
      code === 'ENOENT'
        ? `there is no contract ${path}`
        : `the contract ${inputName(path)} cannot be read: ${message}`,
    )
  }
}

function parse(path: string, text: string): unknown {
  let value: unknown
  try {
    value = JSON.parse(text.replace(/^\uFEFF/, ''))
  } catch (error) {
    throw new OperatorError(`the contract ${path} is not JSON: ${(error as Error).message}`)
  }
  const lossyAt = atOnce(findLossyNumber(text))
  if (lossyAt === null) return value
  const [number] = /^[-\d.eE+]+/.exec(text.slice(lossyAt)) ?? []
  throw new OperatorError(
    `${path} is not a contract: the number ${number} cannot be kept exactly, so the service refuses it`,
  )
}
