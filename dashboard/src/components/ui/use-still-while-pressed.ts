import { useEffect, useRef, useState } from 'react'

/** How long after a finger is lifted its click may come. */
const CLICK_MS = 100

/**
 * The value; while a pointer is down, and until its click is through, as it was before. So what an answer shows or
 * hides does not move a button from under a press.
 */
export function useStillWhilePressed<Value>(value: Value): Value {
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
      // A mouse that moves without a button: it went up elsewhere, as over the choices of a select.
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
