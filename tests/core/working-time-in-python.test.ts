import { test } from 'node:test'
import { missingProgram } from '../webhooks/guide-programs.ts'
import { comparesWithPython } from './working-time-in-python.ts'

test(
  'working time is what Python’s zoneinfo says at some changes of the clocks of some zones (§2.15)',
  { skip: missingProgram('python3', '--version') },
  (t) => comparesWithPython(t, 150, 3),
)
