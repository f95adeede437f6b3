import { testOneSemantics } from './one-semantics.ts'

/** SEMANTICS_CASES sets another number, rounded up to hundreds. */
const CASES = Number(process.env.SEMANTICS_CASES ?? 500)

testOneSemantics({ clocks: Math.ceil(CASES / 100), claims: 100 })
