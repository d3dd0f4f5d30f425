import { execFileSync } from 'node:child_process'
import { appendFileSync, mkdtempSync, rmdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { leftOut } from '../../requirements.ts'

export interface SmallDisk {
  readonly folder: string
  /** Takes all the room that is left. */
  readonly fill: () => void
  readonly free: () => void
}

/** Whether a disk can be mounted, which only root may; under CI it must be. */
export function canMount(): boolean {
  return !leftOut(
    process.getuid?.() === 0 ? [] : ['a disk that may be filled up (root mounts one)'],
  )
}

/** Mounts a disk of 8 MB for as long as `use` takes: one that is full says so, as any other does. */
export async function onSmallDisk(use: (disk: SmallDisk) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'hookproof-disk-'))
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=8m,mode=0755', 'tmpfs', folder])
  const filler = join(folder, 'filler')
  try {
    await use({
      folder,
      fill() {
        for (const bytes of [65_536, 4096, 1]) fillBy(filler, bytes)
      },
      free: () => rmSync(filler),
    })
  } finally {
    // Lazily, since a server may still hold a file of it open.
    execFileSync('umount', ['-l', folder])
    rmdirSync(folder)
  }
}

function fillBy(path: string, bytes: number): void {
  const block = Buffer.alloc(bytes)
  try {
    for (;;) appendFileSync(path, block)
  } catch (error) {
    if ((error as { code?: string }).code !== 'ENOSPC') throw error
  }
}
