import { isOnCitus } from './database-nodes.ts'

/** For tests of claims with contracts in their rows. */
export const SKIP_ON_CITUS = {
  skip: isOnCitus() && 'tables are distributed only if no claim has its contract in its row',
}

/** SQL that stores the contract of each claim in its row, as an older version did. */
export const MOVE_CONTRACTS_BACK_TO_CLAIMS = [
  `UPDATE claims c SET contract = k.document, decisive_event_types = k.event_types, contract_hash = NULL
   FROM contracts k WHERE k.hash = c.contract_hash`,
  'DELETE FROM contracts',
  `UPDATE contract_moves
   SET after_id = '00000000-0000-0000-0000-000000000000', missed = 0, moved = 0, is_done = false`,
]
