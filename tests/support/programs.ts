import { spawnSync } from 'node:child_process'

/** Why a test is skipped whose program the machine has not; false if it is there. Debian's package is named like it unless said. */
export const isMissing = (program: string, debian = program): string | false =>
  spawnSync('sh', ['-c', `command -v ${program}`]).status === 0
    ? false
    : `no ${program}: apt-get install ${debian}`
