/* What the patterns of schemas demand, in words: a pattern itself tells most people nothing. */

const RULES = new Map<string, string>()

/** A pattern for a schema. @param rule as it stands behind "must be" */
export function withRule(pattern: string, rule: string): string {
  RULES.set(pattern, rule)
  return pattern
}

export const ruleOf = (pattern: string): string | undefined => RULES.get(pattern)
