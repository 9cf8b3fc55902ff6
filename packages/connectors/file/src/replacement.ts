import { dirname } from 'node:path'
import { errnoOf, fileError } from './errors.ts'
import type { FileFacts, FileSystem } from './file-system.ts'

/**
 * Puts a new file in the place of another one as a whole: readers and crashes see the old or the new one. It keeps the
 * rights and the owner of the old one.
 *
 * @param target the place itself, never a link to it: a rename replaces links, not what they lead to. `fileKey` knows it.
 * @param write fills the new file.
 * @returns the descriptor of the new file, for reading and writing; the caller closes it.
 * @throws {MqbError} `MQB_FILE_NOT_A_FILE`: a device, a pipe, a socket or a directory is there. It would be gone for
 *   everybody who uses it.
 */
export async function replaceFile(
  fileSystem: FileSystem,
  target: string,
  write: (descriptor: number) => Promise<void>,
): Promise<number> {
  const old = fileSystem.facts(target)
  if (old !== undefined) assertReplaceable(old, target)
  const temporary = `${target}.mqb.tmp`
  // What a crash left. Whoever else may have put a file or a link there: what it leads to is not written to.
  await fileSystem.remove(temporary)
  const descriptor = await fileSystem.open(temporary, 'wx+', old?.mode)
  try {
    if (old !== undefined) await adopt(fileSystem, descriptor, old)
    await write(descriptor)
    // Without it a crash of the machine can leave an empty file under the new name.
    await fileSystem.sync(descriptor)
    await fileSystem.rename(temporary, target)
  } catch (error) {
    await fileSystem.close(descriptor).catch(() => undefined)
    // On a full disk, half of it is the last thing that somebody needs.
    await fileSystem.remove(temporary).catch(() => undefined)
    throw error
  }
  // Where it cannot be done, a power cut can bring the old file back: what it holds comes again.
  await fileSystem.syncDirectory(dirname(target)).catch(() => undefined)
  return descriptor
}

/** @throws {MqbError} `MQB_FILE_NOT_A_FILE` */
export function assertReplaceable(facts: FileFacts, path: string): void {
  if (facts.isFile) return
  throw fileError({
    code: 'MQB_FILE_NOT_A_FILE',
    what: `${path} is no regular file, and only such a one can be replaced by a new version of itself`,
  })
}

/** The mask of the process took rights away, and the owner is this process; others have to go on writing. */
async function adopt(fileSystem: FileSystem, descriptor: number, old: FileFacts): Promise<void> {
  const own = fileSystem.factsOf(descriptor)
  if (own.owner !== old.owner || own.group !== old.group) {
    try {
      await fileSystem.changeOwner(descriptor, old.owner, old.group)
    } catch (error) {
      // Only the superuser gives files away; what else can be done is done.
      if (errnoOf(error) !== 'EPERM' && errnoOf(error) !== 'EINVAL') throw error
    }
  }
  if (fileSystem.factsOf(descriptor).mode !== old.mode) await fileSystem.changeMode(descriptor, old.mode)
}
