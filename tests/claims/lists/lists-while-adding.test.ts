import { testPagesWhileAdding } from './pages-while-adding.ts'

// The nightly suite adds more records.
testPagesWhileAdding(6)
