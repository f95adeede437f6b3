import type { World } from '../clients/world.ts'
import { demand } from '../model/finding.ts'
import type { Stage } from '../stage.ts'

/** Of all answers: on a slow machine somebody may be asked to come again. */
const MOST_REFUSED = 0.02

/** What must never be where no harm is done, and what others make up for. */
export async function judgeCalm(world: World, stage: Stage): Promise<void> {
  await judgeDeadlocks(stage)
  judgeRefusals(world)
}

/** Nobody who writes waits for somebody who waits for him. */
async function judgeDeadlocks(stage: Stage): Promise<void> {
  const [row] = await stage.sql<{ deadlocks: number }>(
    'SELECT deadlocks::integer FROM pg_stat_database WHERE datname = current_database()',
  )
  demand(row?.deadlocks === 0, () => `statements were in ${row?.deadlocks} deadlocks`)
}

function judgeRefusals({ answers }: World): void {
  const all = answers.values().reduce((sum, times) => sum + times, 0)
  const refused = answers.get('503') ?? 0
  demand(
    refused <= MOST_REFUSED * all,
    () => `${refused} of ${all} requests were answered 503 in calm weather`,
  )
}
