import { median } from '../measured.ts'
import { databaseCores, type Usage } from './usage.ts'

/** The rate, and the CPU time of one event, claim or transition in microseconds. Null if the system does not report it. */
export interface Costs {
  perSecond: number
  serverUs: number | null
  /** All PostgreSQL servers together. */
  databaseUs: number | null
  /** Rate per core, of the server and PostgreSQL together. */
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

/** The median ratios of Citus to plain PostgreSQL. The first turns of both are a pair, then the second turns, and so on. */
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
