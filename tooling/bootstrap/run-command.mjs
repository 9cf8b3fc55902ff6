import { spawn } from 'node:child_process'

/**
 * Runs a command without a standard input.
 *
 * @param {string[]} command
 * @param {{ cwd: string, env: NodeJS.ProcessEnv, show: 'all' | 'on-failure' }} options with `on-failure` the output
 *   is kept and comes back in `output`, to be shown only when the command failed
 * @returns {Promise<{ code: number, output: string }>} code 1 also when a signal ended it
 */
export function run(command, options) {
  const [file, ...args] = command
  return new Promise(resolve => {
    const child = spawn(file, args, {
      cwd: options.cwd,
      env: options.env,
      stdio: options.show === 'all' ? ['ignore', 'inherit', 'inherit'] : ['ignore', 'pipe', 'pipe'],
      shell: process.platform === 'win32' && file !== process.execPath,
    })
    const parts = []
    child.stdout?.on('data', part => parts.push(part))
    child.stderr?.on('data', part => parts.push(part))
    const end = (code, extra = '') => resolve({ code, output: Buffer.concat(parts).toString() + extra })
    child.once('error', error => end(1, `${command.join(' ')}: ${error.message}\n`))
    child.once('close', code => end(code ?? 1))
  })
}
