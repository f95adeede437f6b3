import { useEffect, useRef, useState } from 'react'

/** A click may come this long after the pointer is released. */
const CLICK_MS = 100

/** The value, held back while a pointer is down and until its click is handled. So a response does not move a button while it
 * is pressed.
 */
export function useStableWhilePressed<Value>(value: Value): Value {
  const [isPressed, setPressed] = useState(false)
  const still = useRef(value)
  if (!isPressed) still.current = value
  useEffect(() => {
    let release: ReturnType<typeof setTimeout> | undefined
    const onDown = () => {
      clearTimeout(release)
      setPressed(true)
    }
    const onUp = ({ buttons }: PointerEvent) => {
      // A mouse move without a button means that the button was released elsewhere, such as over a select.
      if (buttons !== 0) return
      clearTimeout(release)
      release = setTimeout(() => setPressed(false), CLICK_MS)
    }
    const ups = ['pointerup', 'pointercancel', 'pointermove'] as const
    addEventListener('pointerdown', onDown, true)
    for (const up of ups) addEventListener(up, onUp, true)
    return () => {
      clearTimeout(release)
      removeEventListener('pointerdown', onDown, true)
      for (const up of ups) removeEventListener(up, onUp, true)
    }
  }, [])
  return still.current
}
