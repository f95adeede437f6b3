import { test } from 'node:test'
import { missingProgram } from '../webhooks/guide-programs.ts'
import { comparesWithPython } from './working-time-in-python.ts'

test(
  'working time is what Python’s zoneinfo says at each change of the clocks of each zone from 2020 to 2039 (§2.15)',
  { skip: missingProgram('python3', '--version') },
  (t) => comparesWithPython(t, 1, 2),
)
