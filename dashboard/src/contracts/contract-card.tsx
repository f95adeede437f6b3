import type { Contract } from '../../../src/core/contracts/contract.ts'
import { Card } from '../components/card.tsx'
import { CodeBlock } from '../components/code-block.tsx'
import { Tabs, TabsContent, TabsList, TabsTrigger } from '../components/tabs.tsx'
import { escapeBidiControls } from '../format/bidi.ts'
import { ContractInWords } from './contract-in-words.tsx'

/** A contract in words and in JSON. */
export function ContractCard({ contract }: { contract: Contract }) {
  return (
    <Card aria-label="Contract">
      <Tabs defaultValue="words">
        <TabsList aria-label="Contract">
          <TabsTrigger value="words">Contract in words</TabsTrigger>
          <TabsTrigger value="json">JSON</TabsTrigger>
        </TabsList>
        <TabsContent value="words" className="p-5">
          <ContractInWords contract={contract} />
        </TabsContent>
        <TabsContent value="json" className="p-4">
          <CodeBlock text={escapeBidiControls(JSON.stringify(contract, null, 2))} label="contract" />
        </TabsContent>
      </Tabs>
    </Card>
  )
}
