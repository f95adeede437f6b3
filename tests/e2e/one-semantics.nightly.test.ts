import { testOneSemantics } from './one-semantics.ts'

/** SEMANTICS_CASES tries more. */
const CASES = Number(process.env.SEMANTICS_CASES ?? 300)

testOneSemantics({ clocks: Math.ceil(CASES / 100), claims: 100 })
