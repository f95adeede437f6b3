import { median } from '../measured.ts'
import { databaseCores, type Usage } from './usage.ts'

/** What was done a second, and what one took of processors, in microseconds; null where the system does not tell. */
export interface Costs {
  perSecond: number
  serverUs: number | null
  /** All of PostgreSQL combineRounds. */
  databaseUs: number | null
  /** How many a second one core does, of the server and PostgreSQL combineRounds. */
  perCore: number | null
}

export function costsOf(perSecond: number, usage: Usage): Costs {
  const database = databaseCores(usage)
  const us = (cores: number | null) => (cores === null ? null : (cores * 1e6) / perSecond)
  const all = usage.server === null || database === null ? null : usage.server + database
  return {
    perSecond,
    serverUs: us(usage.server),
    databaseUs: us(database),
    perCore: all === null ? null : perSecond / all,
  }
}

export interface PairedTurn<Result extends Costs = Costs> {
  name: 'plain' | 'citus'
  result: Result
}

/** The median of Citus to plain PostgreSQL over the pairs: the first turn of the one with the first of the other, and so on. */
export function ratiosOf(turns: readonly PairedTurn[]): { ratio: number; ofACore: number | null } {
  const of = (name: PairedTurn['name']) => turns.filter((turn) => turn.name === name)
  const plain = of('plain')
  const pairs = of('citus').map(({ result }, i) => [result, (plain[i] as PairedTurn).result] as const)
  const cores = pairs.flatMap(([citus, other]) =>
    citus.perCore === null || other.perCore === null ? [] : [citus.perCore / other.perCore],
  )
  return {
    ratio: median(pairs.map(([citus, other]) => citus.perSecond / other.perSecond)),
    ofACore: cores.length === 0 ? null : median(cores),
  }
}

export function meanCosts(all: readonly Costs[]): Costs {
  const middle = (pick: (costs: Costs) => number | null) => {
    const known = all.map(pick).filter((value) => value !== null)
    return known.length === 0 ? null : median(known)
  }
  return {
    perSecond: median(all.map(({ perSecond }) => perSecond)),
    serverUs: middle(({ serverUs }) => serverUs),
    databaseUs: middle(({ databaseUs }) => databaseUs),
    perCore: middle(({ perCore }) => perCore),
  }
}
