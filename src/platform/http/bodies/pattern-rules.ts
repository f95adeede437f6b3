/* The rules of patterns in words, for messages: a regular expression is hard to read. */

const RULES = new Map<string, string>()

/** Registers the rule of a schema's pattern, and returns the pattern. @param rule follows "must be" */
export function withRule(pattern: string, rule: string): string {
  RULES.set(pattern, rule)
  return pattern
}

export const ruleOf = (pattern: string): string | undefined => RULES.get(pattern)
