import { createContext, useContext } from 'react'
import { type LocalTime, localTimeIn } from '../local-time.ts'

/** Given by the shell to every page: on one there may be thousands of times. */
export const LocalTimeContext = createContext<LocalTime>(localTimeIn('UTC'))

/** How times are shown, and taken from fields: in the account's time zone. */
export const useLocalTime = (): LocalTime => useContext(LocalTimeContext)
