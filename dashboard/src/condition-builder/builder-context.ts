import { createContext, useContext } from 'react'
import { type BuilderNode, type LeafNode, newLeaf } from './builder-node.ts'
import { roomIn, type TreeRoom } from './tree-room.ts'

export interface EditMade {
  /** Where the focus goes: a node's id, or that of a field. */
  focus?: string
  /** The text field that was typed into: all that is typed there in one go is one edit. */
  typedIn?: string
}

interface BuilderContextValue {
  root: BuilderNode
  room: TreeRoom
  /** Puts another tree in place. */
  change: (root: BuilderNode, made?: EditMade) => void
  /** Id of the list of event types that are proposed. */
  typesId: string
  /** What is wrong at a path below the node's own: `.event`. */
  issueAt: (nodeId: string, below: string) => string | undefined
  /** Whether all that is wrong is to be said, or only what has been passed through. */
  isChecked: boolean
}

/** What an editor of a part of a leaf is given. */
export interface LeafPartProps {
  leaf: LeafNode
  set: (changed: Partial<LeafNode>, made?: EditMade) => void
}

export const BuilderContext = createContext<BuilderContextValue>({
  root: newLeaf(),
  room: roomIn(newLeaf()),
  change: () => {},
  typesId: '',
  issueAt: () => undefined,
  isChecked: false,
})

export const useBuilder = () => useContext(BuilderContext)
