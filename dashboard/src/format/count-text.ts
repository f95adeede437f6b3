/** "1 claim", "1,200 claims". @param plural with an s at its end */
export const countText = (count: number, plural: string): string =>
  `${count.toLocaleString('en')} ${count === 1 ? plural.slice(0, -1) : plural}`
