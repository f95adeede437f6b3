import { testPagesWhileAdding } from './pages-while-adding.ts'

// More records are added in the slow suite.
testPagesWhileAdding(6)
