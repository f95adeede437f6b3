import { testOneDomain } from './one-domain.ts'

testOneDomain(400)
