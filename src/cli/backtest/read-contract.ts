import { text } from 'node:stream/consumers'
import type { Contract } from '../../domain/contract/contract.ts'
import { validateContract } from '../../domain/contract/validate-contract.ts'
import { OperatorError } from '../../operator-error.ts'
import { inputName, openInput } from '../input-file.ts'

/** @param path "-" for standard input @throws OperatorError that lists all issues of the contract */
export async function readContract(path: string): Promise<Contract> {
  const value = parse(inputName(path), await readText(path))
  const issues = validateContract(value)
  if (issues.length === 0) return value as Contract
  const all = issues.map((issue) => `${issue.path} ${issue.message}`).join('; ')
  throw new OperatorError(`${inputName(path)} is not a contract: ${all}`)
}

async function readText(path: string): Promise<string> {
  try {
    return await text(openInput(path))
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
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''))
  } catch (error) {
    throw new OperatorError(`the contract ${path} is not JSON: ${(error as Error).message}`)
  }
}
