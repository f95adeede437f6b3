import { testOverviewAgainstLists } from './overview-against-lists.ts'

testOverviewAgainstLists({
  claims: 400,
  checks: 120,
  lateClaims: 60,
  lateChecks: 10,
  zones: ['UTC', 'Europe/Berlin', 'America/New_York', 'America/Havana', 'Asia/Kathmandu', 'Pacific/Chatham'],
  days: [1, 7, 30, 366],
})
