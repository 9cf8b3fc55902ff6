import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { createInterface, type Interface } from 'node:readline'
import { fileURLToPath } from 'node:url'

export interface Question {
  readonly expression: string
  readonly input: unknown
}

export type Answer = { readonly value: unknown } | { readonly error: string } | { readonly aborted: true }

const program = fileURLToPath(new URL('./oracle-child.mjs', import.meta.url))

/** The reference engine in a process that is started again whenever it takes the process down. */
export class Oracle {
  private child: ChildProcessWithoutNullStreams | undefined
  private lines: Interface | undefined

  async ask(questions: readonly Question[]): Promise<Answer[]> {
    const answers: Answer[] = []
    while (answers.length < questions.length) {
      answers.push(...(await this.askUntilAbort(questions.slice(answers.length))))
      if (answers.length < questions.length) answers.push({ aborted: true })
    }
    return answers
  }

  close(): void {
    this.child?.stdin.end()
    this.child = undefined
  }

  private askUntilAbort(questions: readonly Question[]): Promise<Answer[]> {
    const child = this.child ?? this.start()
    const answers: Answer[] = []
    return new Promise(resolve => {
      const finish = (): void => {
        this.lines?.off('line', onLine)
        child.off('close', onClose)
        resolve(answers)
      }
      const onLine = (line: string): void => {
        answers.push(JSON.parse(line) as Answer)
        if (answers.length === questions.length) finish()
      }
      const onClose = (): void => {
        this.child = undefined
        finish()
      }
      this.lines?.on('line', onLine)
      child.on('close', onClose)
      child.stdin.write(questions.map(question => `${JSON.stringify(question)}\n`).join(''))
    })
  }

  private start(): ChildProcessWithoutNullStreams {
    const child = spawn(process.execPath, [program], { env: { ...process.env, RUST_BACKTRACE: '0' } })
    child.stderr.resume()
    // It may end while questions are being written; what was not answered is asked again.
    child.stdin.on('error', () => {})
    this.child = child
    this.lines = createInterface({ input: child.stdout })
    return child
  }
}
