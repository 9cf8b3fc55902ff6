import { type Capabilities, noCapabilities } from '@mqb/core'
import { branchesOf } from './branches.ts'
import type { SwitchConfig } from './config.ts'

/** What holds for a message whichever branch it takes. */
export function switchCapabilities(config: SwitchConfig): Capabilities {
  const branches = branchesOf(config).map(branch => branch.plan.capabilities)
  const takesAll = config.default !== undefined
  const bounds = branches.map(branch => branch.maxPayloadBytes).filter(bound => bound !== null)
  return {
    ...noCapabilities,
    acks: branches.every(branch => branch.acks),
    replies: mergeReplies(branches, takesAll),
    // Sends are handed to the branches in their order, and a branch that wants them one at a time sees to that itself.
    // One ordered branch is enough: the route must not let batches overtake one another on their way to it.
    orderedPublish: branches.some(branch => branch.orderedPublish !== 'no') ? 'pipelined' : 'no',
    keepsAll: takesAll && branches.every(branch => branch.keepsAll),
    idempotent: mergeIdempotence(branches),
    needsPosition: branches.some(branch => branch.needsPosition),
    maxPayloadBytes: bounds.length === 0 ? null : Math.min(...bounds),
    lacks: [...new Set(branches.flatMap(branch => branch.lacks))],
    tls: branches.some(branch => branch.tls),
  }
}

/** A message that nothing takes is acked without an answer. */
function mergeReplies(branches: readonly Capabilities[], takesAll: boolean): Capabilities['replies'] {
  if (branches.every(branch => branch.replies === 'no')) return 'no'
  return takesAll && branches.every(branch => branch.replies === 'yes') ? 'yes' : 'depends'
}

function mergeIdempotence(branches: readonly Capabilities[]): Capabilities['idempotent'] {
  const [first, ...rest] = new Set(branches.map(branch => branch.idempotent))
  return first !== undefined && rest.length === 0 ? first : 'no'
}
