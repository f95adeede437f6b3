import { createContext, useContext } from 'react'
import { type LocalTime, localTimeIn } from '../format/local-time.ts'

/** Provided once by the shell, because a page may show thousands of times. */
export const LocalTimeContext = createContext<LocalTime>(localTimeIn('UTC'))

/** Formats and parses times in the account's time zone. */
export const useLocalTime = (): LocalTime => useContext(LocalTimeContext)
