import { testPagesWhileAdding } from './pages-while-adding.ts'

// More records are added in the nightly suite.
testPagesWhileAdding(6)
