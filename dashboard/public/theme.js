// Runs before the first paint, so that no page flashes in the wrong theme. A file, since the policy allows no inline script.
;(() => {
  const dark = matchMedia('(prefers-color-scheme: dark)')
  const apply = () => {
    const chosen = localStorage.getItem('theme')
    const isDark = chosen === 'dark' || (chosen !== 'light' && dark.matches)
    document.documentElement.dataset.theme = isDark ? 'dark' : 'light'
  }
  apply()
  dark.addEventListener('change', apply)
  addEventListener('storage', apply)
  addEventListener('claimkeeper:theme', apply)
})()
