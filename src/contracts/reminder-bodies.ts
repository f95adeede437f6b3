import { Type } from 'typebox'
import { MAX_REMINDERS } from '../core/limits.ts'

const EXAMPLE = [0.5, 0.9]

/**
 * The reminders of a new claim or a new claim schema (§2.16).
 * @param description what applies if the field is absent
 */
export const NewReminders = (description: string) =>
  Type.Array(Type.Number({ exclusiveMinimum: 0, exclusiveMaximum: 1 }), {
    maxItems: MAX_REMINDERS,
    uniqueItems: true,
    description: `Fractions of the activity window. A notification is sent at each, if the claim is OPEN and the clock of the claim runs. An empty array means no reminders. ${description}`,
    examples: [EXAMPLE],
  })

export const Reminders = Type.Array(Type.Number(), {
  description: 'Fractions of the activity window, ascending. Absent if there are none.',
  examples: [EXAMPLE],
})
