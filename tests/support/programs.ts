import { spawnSync } from 'node:child_process'

/** Why a test is skipped if the machine lacks the program. False if the program is installed. `debian`: the name of Debian's package. */
export const isMissing = (program: string, debian = program): string | false =>
  spawnSync('sh', ['-c', `command -v ${program}`]).status === 0
    ? false
    : `no ${program}: apt-get install ${debian}`
