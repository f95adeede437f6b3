import { createContext, useContext } from 'react'
import { type BuilderNode, type LeafNode, newLeaf } from './builder-node.ts'
import { type ConditionLimits, conditionLimits } from './condition-limits.ts'

export interface EditMade {
  /** The id of the node or field to focus. */
  focus?: string
  /** The text field that was typed into. Text typed there without leaving is one edit. */
  typedField?: string
}

/** What the builder edits: a condition over a log, or a condition on one event (`EventTrigger`). */
export type BuilderKind = 'condition' | 'trigger'

export interface BuilderContextValue {
  root: BuilderNode
  kind: BuilderKind
  limits: ConditionLimits
  /** Replaces the tree. */
  change: (root: BuilderNode, made?: EditMade) => void
  /** The id of the datalist of event types. */
  typesId: string
  /** The issue at a path below the node, such as `.event`. */
  issueAt: (nodeId: string, below: string) => string | undefined
  /** Whether all errors are shown, or only those of visited fields. */
  isChecked: boolean
}

/** Props of the editors of a leaf's parts. */
export interface LeafPartProps {
  leaf: LeafNode
  set: (changed: Partial<LeafNode>, made?: EditMade) => void
}

export const BuilderContext = createContext<BuilderContextValue>({
  root: newLeaf(),
  kind: 'condition',
  limits: conditionLimits(newLeaf()),
  change: () => {},
  typesId: '',
  issueAt: () => undefined,
  isChecked: false,
})

export const useBuilder = () => useContext(BuilderContext)
