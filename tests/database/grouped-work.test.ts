import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { sharedService } from '../support/shared.ts'
import { GroupedWork } from '../support/source/claims.ts'
import { Database, SERVICE } from '../support/source/database.ts'

/* Statements for many callers. What is grouped here are numbers, which a real database divides 100 by. */

const db = new Database({ connectionString: (await sharedService()).databaseUrl, poolSize: 16 })
after(() => db.close())
const connection = db.writes.for(SERVICE)

interface Watched {
  work: GroupedWork<number, number>
  groups: number[][]
  /** Lets all groups go, those to come too. */
  letGo: () => void
}

/** Groups wait before their statement until they are let go. */
function watchedWork(room = 100): Watched {
  const groups: number[][] = []
  const gate = Promise.withResolvers<void>()
  const work = new GroupedWork<number, number>({
    db: connection,
    room,
    weight: () => 1,
    run: async (db, items) => {
      groups.push([...items])
      await gate.promise
      const rows = await db.query<{ quotient: number }>({
        text: 'SELECT 100 / n AS quotient FROM unnest($1::integer[]) WITH ORDINALITY AS d (n, place) ORDER BY place',
        values: [items],
      })
      return rows.map(({ quotient }) => quotient)
    },
  })
  return { work, groups, letGo: gate.resolve }
}

const numbers = (count: number, from = 1) => Array.from({ length: count }, (_, i) => from + i)
const doAll = (work: Watched['work'], account: string, items: number[]) =>
  Promise.allSettled(items.map((item) => work.do(account, item)))
const valuesOf = (settled: PromiseSettledResult<number>[]) =>
  settled.map((one) => (one.status === 'fulfilled' ? one.value : one.reason.message))

test('what arrives in one turn goes in one group, and each gets what is its own', async () => {
  const { work, groups, letGo } = watchedWork()
  letGo()
  assert.deepEqual(valuesOf(await doAll(work, 'a', [1, 2, 50])), [100, 50, 2])
  assert.deepEqual(groups, [[1, 2, 50]])
})

test('what arrives while one group is on its way waits for the next, which goes soon if many wait', async () => {
  const { work, groups, letGo } = watchedWork()
  const first = work.do('a', 1)
  await turn()
  const many = doAll(work, 'a', numbers(8, 10))
  await turn()
  assert.deepEqual(groups, [[1], numbers(8, 10)])
  const late = doAll(work, 'a', [20, 25])
  await turn()
  assert.equal(groups.length, 2)
  letGo()
  await Promise.all([first, many])
  assert.deepEqual(valuesOf(await late), [5, 4])
  assert.deepEqual(groups[2], [20, 25])
})

test('a few go although a group that is on its way never answers', async () => {
  const { work, groups } = watchedWork()
  void work.do('a', 1)
  await turn()
  void work.do('a', 2)
  while (groups.length < 2) await turn()
  assert.deepEqual(groups, [[1], [2]])
})

test('accounts take turns, and a group takes what there is room for', async () => {
  const { work, groups, letGo } = watchedWork(4)
  void work.do('a', 1)
  await turn()
  const flood = doAll(work, 'a', numbers(9, 2))
  const other = doAll(work, 'b', [50, 51])
  await turn()
  assert.deepEqual(groups[1], [2, 50, 3, 51])
  letGo()
  await Promise.all([flood, other])
  assert.deepEqual(groups.slice(2).flat(), numbers(7, 4))
})

test('what is more than a group takes goes alone, and others do not wait for it', async () => {
  const groups: number[][] = []
  const work = new GroupedWork<number, number>({
    db: connection,
    room: 10,
    weight: (item) => item,
    run: async (_, items) => {
      groups.push([...items])
      return [...items]
    },
  })
  await Promise.all([doAll(work, 'a', [1, 30, 2]), doAll(work, 'b', [4, 5, 6])])
  assert.deepEqual(groups, [[1, 4, 5], [30], [6, 2]])
})

test('beyond its bound an account is refused at once, and others are not', async () => {
  const { work, letGo } = watchedWork()
  const first = doAll(work, 'a', [1, 1])
  await turn()
  const flood = doAll(
    work,
    'a',
    numbers(251).map(() => 4),
  )
  await assert.rejects(work.do('a', 1), { code: 'UNAVAILABLE', message: /Too many requests are waiting/ })
  const other = work.do('b', 5)
  letGo()
  const refused = (await flood).filter(({ status }) => status === 'rejected')
  assert.equal(refused.length, 1)
  assert.equal(await other, 20)
  await first
})

test('however many accounts fill their places, there is one for the next', async () => {
  const { work, letGo } = watchedWork()
  const first = doAll(work, 'first', [1, 1])
  await turn()
  const floods = numbers(6).map((n) =>
    doAll(
      work,
      `flood ${n}`,
      numbers(250).map(() => 4),
    ),
  )
  const next = work.do('next', 5)
  letGo()
  assert.equal(await next, 20)
  await Promise.all([first, ...floods])
})
