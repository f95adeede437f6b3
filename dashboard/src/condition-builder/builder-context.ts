import { createContext, useContext } from 'react'
import { type BuilderNode, newLeaf } from './builder-node.ts'

interface BuilderContextValue {
  root: BuilderNode
  /** Puts another tree in place; the focus goes to the node of that id, if it is given. */
  change: (root: BuilderNode, focusId?: string) => void
  /** What is wrong at a path below the node's own: `.event`. */
  issueAt: (nodeId: string, below: string) => string | undefined
  /** Whether all that is wrong is to be said, or only what has been passed through. */
  isChecked: boolean
}

export const BuilderContext = createContext<BuilderContextValue>({
  root: newLeaf(),
  change: () => {},
  issueAt: () => undefined,
  isChecked: false,
})

export const useBuilder = () => useContext(BuilderContext)
