import { testOneDomain } from './one-domain.ts'

testOneDomain(10_000)
