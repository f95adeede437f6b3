import { type ContractDraft, treesOf } from '../contracts/contract-draft.ts'
import { pathsOf } from '../contracts/edit-node.ts'

/** Focuses the field at a path of the contract: `activity_window`, `fulfillment_condition.conditions[1]`. */
export function focusPath(draft: ContractDraft, path: string): void {
  const places = treesOf(draft).flatMap(([at, root]) => [...pathsOf(root, at)])
  const [id = path] = places.find(([, at]) => at === `contract.${path}`) ?? []
  findField(id)?.focus()
  highlightField(id)
}

/** Focuses a field unless the focus is already in its node. */
export function focusField(id: string): void {
  const field = findField(id)
  if (!field?.closest('li')?.contains(document.activeElement)) field?.focus()
  highlightField(id)
}

/** Highlights a field: browsers show no focus ring on a button that was focused after a click. */
export function highlightField(id: string): void {
  const field = findField(id)
  const node = field?.closest('li') ?? field
  node?.scrollIntoView({ block: 'nearest' })
  node?.animate([outline('var(--accent)'), outline('transparent')], { duration: 2_500, easing: 'ease-in' })
}

const findField = (id: string) => document.querySelector<HTMLElement>(`[data-focus="${id}"]`)

const outline = (colour: string) => ({
  outline: `2px solid ${colour}`,
  outlineOffset: '2px',
  borderRadius: '12px',
})
