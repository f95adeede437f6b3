import { testOverviewAgainstLists } from './overview-against-lists.ts'

// The nightly suite compares more.
testOverviewAgainstLists({
  claims: 150,
  checks: 25,
  lateClaims: 30,
  lateChecks: 5,
  zones: ['UTC', 'America/New_York', 'Asia/Kathmandu'],
  days: [7, 366],
})
