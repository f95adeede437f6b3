import { testOneSemantics } from './one-semantics.ts'

testOneSemantics({ clocks: 1, claims: 60 })
