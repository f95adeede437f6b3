import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { TestClock } from '../api/records.ts'
import type { AnyClaim } from '../claims/claims-api.ts'
import { useToast } from '../components/toast.tsx'
import { overviewQuery } from '../overview/overview-api.ts'
import { advanceTestClock } from './test-clocks-api.ts'

/** The result of an advance. */
export interface Advance {
  from: string
  to: string
  transitions: number
  /** At most the latest ten changed claims, as of the advance. */
  moved: AnyClaim[]
}

export function useAdvance({ id, frozen_time: from }: TestClock) {
  const queryClient = useQueryClient()
  const toast = useToast()
  return useMutation({
    mutationFn: async (frozenTime: string): Promise<Advance> => {
      const { transitions, ...clock } = await advanceTestClock(id, frozenTime)
      queryClient.setQueryData(['test-clocks', 'one', id], clock)
      const { recent } = await queryClient.fetchQuery({
        ...overviewQuery({ days: 1, test_clock_id: id }),
        staleTime: 0,
      })
      const isMoved = ({ status, status_since }: AnyClaim) =>
        status !== 'OPEN' && status_since > from && status_since <= clock.frozen_time
      return { from, to: clock.frozen_time, transitions, moved: (recent as AnyClaim[]).filter(isMoved) }
    },
    onSuccess: ({ transitions }) => {
      toast(
        transitions === 0
          ? 'Advanced: no transitions'
          : `Advanced: ${transitions} ${transitions === 1 ? 'transition' : 'transitions'}`,
      )
      for (const key of ['test-clocks', 'overview', 'claims', 'candidates'])
        void queryClient.invalidateQueries({ queryKey: [key] })
    },
  })
}
