import type { BuilderNode } from '../../condition-builder/builder-node.ts'
import { CONDITION_PATH } from '../../condition-builder/contract-document.ts'
import { pathsOf } from '../../condition-builder/edit-node.ts'

/** Goes to what the form shows at a path of the contract: `activity_window`, `fulfillment_condition.conditions[1]`. */
export function focusPlace(condition: BuilderNode, path: string): void {
  const [id = path] =
    pathsOf(condition, CONDITION_PATH)
      .entries()
      .find(([, at]) => at === `contract.${path}`) ?? []
  const place = document.querySelector<HTMLElement>(`[data-focus="${id}"]`)
  place?.focus()
  // After a click, browsers do not show where the focus went if that is a button.
  const node = place?.closest('li') ?? place
  node?.animate([outline('var(--accent)'), outline('transparent')], { duration: 2_500, easing: 'ease-in' })
}

const outline = (colour: string) => ({
  outline: `2px solid ${colour}`,
  outlineOffset: '2px',
  borderRadius: '12px',
})
