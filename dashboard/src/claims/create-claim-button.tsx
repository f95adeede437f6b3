import { Plus } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../components/button.tsx'
import { type ClaimBeginning, CreateClaimDialog } from './create-claim-dialog.tsx'

/** For the pages of schemas, customers and test clocks, which preset a field of the new claim. */
export function CreateClaimButton({ begin }: { begin: ClaimBeginning }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button onClick={() => setOpen(true)}>
        <Plus aria-hidden /> Create claim
      </Button>
      <CreateClaimDialog kind="claims" begin={begin} open={isOpen} onOpenChange={setOpen} />
    </>
  )
}
