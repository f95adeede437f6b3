import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Sparkles } from 'lucide-react'
import { Button } from '../components/button.tsx'
import { FormError } from '../components/form-error.tsx'
import { loadPage } from '../components/load-page.ts'
import { useToast } from '../components/toast.tsx'

/** Creates demo data, or finds existing demo data, and opens the overview of its test clock. */
export function DemoButton({ variant = 'secondary' }: { variant?: 'primary' | 'secondary' }) {
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const toast = useToast()
  const demo = useMutation({
    mutationFn: () => loadPage(() => import('./make-demo.ts')).then(({ makeDemo }) => makeDemo()),
    onSuccess: async (clock) => {
      void queryClient.invalidateQueries()
      toast('Demo data created on a test clock. Advance it under Test clocks.')
      await navigate({ to: '/', search: { clock } })
    },
  })
  return (
    <>
      <Button variant={variant} pending={demo.isPending} onClick={() => demo.mutate()}>
        <Sparkles aria-hidden /> {demo.isPending ? 'Creating demo data…' : 'Create demo data'}
      </Button>
      <FormError error={demo.error} />
    </>
  )
}
