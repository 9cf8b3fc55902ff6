// Rules about the tree that neither compiler nor linter knows. Prints every finding and fails when there is one.
import { errorCodeFindings } from './error-codes.ts'
import { layerFindings } from './layers.ts'
import { linkFindings } from './links.ts'
import { machinePathFindings } from './machine-paths.ts'
import { manifestFindings } from './manifests.ts'
import { tarballFindings } from './tarballs.ts'

const gates: Readonly<Record<string, () => string[] | Promise<string[]>>> = {
  layers: layerFindings,
  manifests: manifestFindings,
  'error codes': errorCodeFindings,
  links: linkFindings,
  'machine paths': machinePathFindings,
  tarballs: tarballFindings,
}

let count = 0
for (const [name, gate] of Object.entries(gates)) {
  const findings = await gate()
  for (const finding of findings) console.error(`${name}: ${finding}`)
  count += findings.length
}
if (count > 0) {
  console.error(`${count} findings`)
  process.exitCode = 1
}
