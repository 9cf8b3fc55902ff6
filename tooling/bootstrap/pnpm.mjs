import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The root of the checkout. */
export const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..')

/** What `npm run` says about the script that it runs: it is not true of the commands that run below it. */
const ofThisRun = /^npm_(package_|lifecycle_|command$|config_user_agent$|config_local_prefix$)/

/**
 * The environment of every command: `pnpm` is found on its PATH in exactly the version that `packageManager` names.
 *
 * A pnpm that is installed is used when its version is right. Else npm fetches it from the registry into its cache,
 * or takes it from there without asking the network.
 */
export function environmentWithPnpm() {
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const wanted = manifest.packageManager.replace(/^pnpm@/, '').replace(/\+.*$/, '')
  const env = {
    ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !ofThisRun.test(name))),
    COREPACK_ENABLE_DOWNLOAD_PROMPT: '0',
    DO_NOT_TRACK: '1',
    TURBO_TELEMETRY_DISABLED: '1',
  }
  if (installedVersion(env) === wanted) return env
  return { ...env, PATH: `${folderFromNpm(wanted)}${delimiter}${env.PATH ?? ''}` }
}

function installedVersion(env) {
  const answer = spawnSync('pnpm', ['--version'], {
    cwd: root,
    env,
    encoding: 'utf8',
    timeout: 60_000,
    stdio: ['ignore', 'pipe', 'ignore'],
    shell: process.platform === 'win32',
  })
  return answer.status === 0 ? answer.stdout.trim() : undefined
}

/** The folder with the `pnpm` command, in npm's cache. */
function folderFromNpm(version) {
  // Away from the workspace, whose manifests have a protocol that npm does not know.
  const elsewhere = mkdtempSync(join(tmpdir(), 'mqb-pnpm-'))
  try {
    const npm = process.env.npm_execpath
    const [file, ...before] = npm?.endsWith('.js') ? [process.execPath, npm] : ['npm']
    const script = 'process.stdout.write(process.env.PATH)'
    const answer = spawnSync(
      file,
      [
        ...before,
        'exec',
        '--yes',
        '--prefer-offline',
        `--package=pnpm@${version}`,
        '--',
        'node',
        '-e',
        script,
      ],
      {
        cwd: elsewhere,
        env: { ...process.env, npm_config_update_notifier: 'false', npm_config_local_prefix: elsewhere },
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'inherit'],
        shell: file === 'npm' && process.platform === 'win32',
      },
    )
    const folder = answer.stdout?.split(delimiter).find(entry => entry.includes('_npx'))
    if (answer.status === 0 && folder !== undefined) return folder
    throw new Error(
      `npm could not bring pnpm ${version}: look at its messages above, or install it with "npm install --global pnpm@${version}"`,
      { cause: answer.error },
    )
  } finally {
    rmSync(elsewhere, { recursive: true, force: true })
  }
}
