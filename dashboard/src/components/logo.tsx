/** The mark and the name. */
export function Logo() {
  return (
    <span className="inline-flex items-center gap-2.5 text-[0.9375rem] font-semibold tracking-tight">
      <svg viewBox="0 0 32 32" className="size-6" aria-hidden="true">
        <rect width="32" height="32" rx="8" className="fill-accent" />
        <path
          d="M9 16.6l4.6 4.7L23.2 11"
          fill="none"
          className="stroke-on-accent"
          strokeWidth="3.2"
          strokeLinecap="round"
          strokeLinejoin="round"
        />
      </svg>
      Claimkeeper
    </span>
  )
}
