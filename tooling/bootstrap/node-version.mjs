/** The oldest Node that everything here runs on, as in `engines` of every package. */
const oldest = [20, 19]

/**
 * @param {string} version as in `process.versions.node`
 * @returns {string | undefined} what is wrong and how to mend it
 */
export function checkNode(version) {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  if (major > oldest[0] || (major === oldest[0] && minor >= oldest[1])) return undefined
  return [
    `mqb needs Node ${oldest.join('.')} or newer, this is Node ${version}.`,
    'Install a newer one (https://nodejs.org, or `nvm install 22`) and run the command again.',
  ].join('\n')
}
