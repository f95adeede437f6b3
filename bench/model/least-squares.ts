/**
 * Non-negative least squares of relative errors. Rows have the same weight, whatever the size of their targets. There are
 * few columns, so every subset of columns is tried.
 */
export function leastSquares(rows: readonly (readonly number[])[], targets: readonly number[]): number[] {
  const used = rows.flatMap((row, i) => {
    const target = targets[i] as number
    return target > 0 ? [row.map((value) => value / target)] : []
  })
  const columns = rows[0]?.length ?? 0
  let best = { coefficients: Array.from({ length: columns }, () => 0), error: used.length }
  for (let choice = 1; choice < 2 ** columns; choice++) {
    const chosen = Array.from({ length: columns }, (_, i) => i).filter((i) => choice & (1 << i))
    const found = solve(used.map((row) => chosen.map((i) => row[i] as number)))
    if (!found?.every((value) => value >= 0)) continue
    const coefficients = best.coefficients.map((_, i) => found[chosen.indexOf(i)] ?? 0)
    const error = used.reduce((sum, row) => sum + (1 - product(row, coefficients)) ** 2, 0)
    if (error < best.error) best = { coefficients, error }
  }
  return best.coefficients
}

/** Least squares with the target 1 for each row: solves the normal equations by elimination. Null if they are singular. */
function solve(rows: readonly number[][]): number[] | null {
  const size = rows[0]?.length ?? 0
  const matrix = Array.from({ length: size }, (_, i) => [
    ...Array.from({ length: size }, (_, j) => sum(rows.map((row) => at(row, i) * at(row, j)))),
    sum(rows.map((row) => at(row, i))),
  ])
  for (let i = 0; i < size; i++) {
    const pivot = matrix[i] as number[]
    // A pivot that is tiny compared with its value before elimination is a rounding error.
    const before = sum(rows.map((row) => at(row, i) ** 2))
    if (at(pivot, i) <= before * 1e-12) return null
    for (const [j, row] of matrix.entries()) {
      const factor = j === i ? 0 : at(row, i) / at(pivot, i)
      for (let k = i; k <= size; k++) row[k] = at(row, k) - factor * at(pivot, k)
    }
  }
  return matrix.map((row, i) => at(row, size) / at(row, i))
}

const at = (row: readonly number[], i: number) => row[i] as number
const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0)
const product = (row: readonly number[], coefficients: readonly number[]) =>
  sum(row.map((value, i) => value * at(coefficients, i)))
