import { appendFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { mqb, startMqb } from '../support/cli.ts'
import { scratch } from '../support/scratch.ts'

const numbered = (from: number, to: number): string =>
  Array.from({ length: to - from + 1 }, (_, index) => `{"n":${from + index}}\n`).join('')
const numbersIn = (lines: readonly unknown[]): number[] => lines.map(line => (line as { n: number }).n)
const summary = (counts: string): RegExp =>
  new RegExp(`^copied ${counts} rows in (\\d+ms|\\d+\\.\\d\\ds) \\([\\d_]+ rows/s\\)\\n$`)

describe('mqb copy --filter', () => {
  it('keeps the rows for which it is true, and says of how many', async () => {
    const at = scratch()
    at.write('a.jsonl', numbered(1, 10_000))
    const run = await mqb(['copy', 'file:a.jsonl', 'file:b.jsonl', '--drain', '--filter', 'n % 3 == 0'], {
      cwd: at.folder,
    })
    expect(run).toMatchObject({ code: 0, stderr: '' })
    expect(run.stdout).toMatch(summary('3_333 of 10_000'))
    expect(numbersIn(at.json('b.jsonl'))).toEqual(Array.from({ length: 3333 }, (_, index) => 3 * (index + 1)))
  })

  it('says nothing of "of" where it kept all', async () => {
    const at = scratch()
    at.write('a.jsonl', numbered(1, 10))
    const run = await mqb(['copy', 'file:a.jsonl', 'file:b.jsonl', '--drain', '--filter', 'n > 0'], {
      cwd: at.folder,
    })
    expect(run.stdout).toMatch(summary('10'))
  })

  it('counts the rows that it keeps for --limit', async () => {
    const at = scratch()
    at.write('a.jsonl', numbered(1, 1000))
    const args = ['copy', 'file:a.jsonl', 'file:b.jsonl', '--filter', 'n % 10 == 0', '--limit', '7']
    const run = await mqb(args, { cwd: at.folder })
    expect(run.stdout).toMatch(/^copied 7 of [\d_]+ rows in /)
    expect(run.code).toBe(0)
    expect(numbersIn(at.json('b.jsonl'))).toEqual([10, 20, 30, 40, 50, 60, 70])
  })

  it('counts all rows for --limit where there is no filter', async () => {
    const at = scratch()
    at.write('a.jsonl', numbered(1, 1000))
    const run = await mqb(['copy', 'file:a.jsonl', 'file:b.jsonl', '--limit', '7'], { cwd: at.folder })
    expect(run.stdout).toMatch(summary('7'))
    expect(at.lines('b.jsonl')).toHaveLength(7)
  })

  it('waits with --wait for rows that come late, also where the filter leaves them out', async () => {
    const at = scratch()
    at.write('a.jsonl', '')
    const args = ['copy', 'file:a.jsonl', 'file:b.jsonl', '--wait', '30', '--filter', 'n > 5']
    const running = await startMqb([...args, '-v'], { cwd: at.folder })
    await running.saying(/is ready|copying from/)
    appendFileSync(at.path('a.jsonl'), numbered(1, 10))
    const { code, stdout } = await running.done
    expect(code).toBe(0)
    expect(stdout).toMatch(summary('5 of 10'))
  })

  it('drains at once with --wait 0', async () => {
    const at = scratch()
    at.write('a.jsonl', '')
    const args = ['copy', 'file:a.jsonl', 'file:b.jsonl', '--wait', '0', '--filter', 'n > 5']
    expect((await mqb(args, { cwd: at.folder })).stdout).toMatch(summary('0'))
  })

  it('judges rows before the middlewares of the URI', async () => {
    const at = scratch()
    at.write('a.jsonl', '{"n":1}\n{"n":2}\nno JSON\n')
    // What the URI would leave out has ended the copy by then.
    const args = ['copy', 'file:a.jsonl|filter?expression=n > 1&on_error=drop', 'file:b.jsonl', '--drain']
    const run = await mqb([...args, '--filter', 'n > 0'], { cwd: at.folder })
    expect(run.code).toBe(1)
    expect(run.stderr).toContain('copy.input.middlewares[1].filter')
    expect((await mqb(args, { cwd: at.folder })).stdout).toMatch(summary('1 of 3'))
  })

  it('reads fields of CSV as numbers, and works in a pipe', async () => {
    const run = await mqb(['copy', '-?format=csv', '-', '--filter', 'amount > 9 && name != "x"'], {
      input: 'name,amount\nx,10\ny,9\nz,10\nw,\nv,abc\n',
    })
    expect(run.stdout).toBe('{"name":"z","amount":"10"}\n')
    expect(run.stderr).toMatch(/copied 1 of 5 rows in/)
  })

  it('names a mistake with its place before anything is opened', async () => {
    const at = scratch()
    at.write('a.jsonl', numbered(1, 10))
    for (const [filter, expected] of [
      ['n >', 'MQB_EXPRESSION_INVALID --filter\n  line 1, column 4 of the expression'],
      ['items[0].n > 1', 'an indexed payload path can not be used here'],
      ['', 'the expression is empty'],
    ] as const) {
      const run = await mqb(['copy', 'file:a.jsonl', 'file:b.jsonl', '--drain', '--filter', filter], {
        cwd: at.folder,
      })
      expect(run).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(expected) })
    }
    expect(at.lines('b.jsonl')).toEqual([])
  })

  it('ends with 1 at a row that it cannot judge', async () => {
    const at = scratch()
    at.write('a.jsonl', '{"n":1}\n[1]\n')
    const run = await mqb(['copy', 'file:a.jsonl', 'file:b.jsonl', '--drain', '--filter', 'n > 0'], {
      cwd: at.folder,
    })
    expect(run).toMatchObject({ code: 1, stdout: '' })
    expect(run.stderr).toContain('mqb: failed after copying 0 rows: MQB_EXPRESSION_PAYLOAD')
    expect(at.lines('b.jsonl')).toEqual([])
  })

  it('keeps every digit and byte of what it keeps', async () => {
    const at = scratch()
    const line =
      '{ "id":9007199254740993,"n":-9223372036854775808, "x":1.0,"y":1e2,"u":18446744073709551615}\n'
    at.write('a.jsonl', line + line.replace('993', '992'))
    const args = ['copy', 'file:a.jsonl', 'file:b.jsonl', '--drain', '--filter', 'id == 9007199254740993']
    await mqb(args, { cwd: at.folder })
    expect(at.read('b.jsonl')).toBe(line)
  })
})

describe('mqb copy to a switch', () => {
  it('sends rows by the first expression that is true', async () => {
    const at = scratch()
    at.write('a.jsonl', numbered(1, 10))
    const target =
      'switch:?when=n > 8&to=file:large.jsonl&when=n > 3&to=file:medium.jsonl&default=file:small.jsonl'
    const run = await mqb(['copy', 'file:a.jsonl', target, '--drain'], { cwd: at.folder })
    expect(run.stdout).toMatch(summary('10'))
    expect(numbersIn(at.json('large.jsonl'))).toEqual([9, 10])
    expect(numbersIn(at.json('medium.jsonl'))).toEqual([4, 5, 6, 7, 8])
    expect(numbersIn(at.json('small.jsonl'))).toEqual([1, 2, 3])
  })

  it('sends rows by a metadata value', async () => {
    const at = scratch()
    at.write('a.jsonl', numbered(1, 4))
    const target = 'switch:?metadata_key=mqb.id&case.2=file:two.jsonl&case.3=file:three.jsonl&default=null:'
    const run = await mqb(['copy', 'file:a.jsonl|id?value=${payload:n}', target, '--drain'], {
      cwd: at.folder,
    })
    expect(run).toMatchObject({ code: 0, stderr: '' })
    expect(at.read('two.jsonl')).toBe('{"n":2}\n')
    expect(at.read('three.jsonl')).toBe('{"n":3}\n')
  })

  it('drops what nothing takes with one warning, which is no loss', async () => {
    const at = scratch()
    at.write('a.jsonl', numbered(1, 10))
    const run = await mqb(['copy', 'file:a.jsonl', 'switch:?when=n > 8&to=file:large.jsonl', '--drain'], {
      cwd: at.folder,
    })
    expect(run.code).toBe(0)
    expect(run.stdout).toMatch(summary('2 of 10'))
    expect(run.stderr).toMatch(/WARN .*8 messages match no case and there is no default: dropped/)
  })

  it('nests, and its destinations have middlewares of their own', async () => {
    const at = scratch()
    at.write('a.jsonl', numbered(1, 6))
    const inner = encodeURIComponent(
      'switch:?when=n > 5&to=file:six.jsonl&default=file:rest.jsonl|filter?expression=n > 3',
    )
    const run = await mqb(
      ['copy', 'file:a.jsonl', `switch:?when=n > 2&to=${inner}&default=file:low.jsonl`, '--drain'],
      {
        cwd: at.folder,
      },
    )
    expect(run).toMatchObject({ code: 0, stderr: '' })
    expect(numbersIn(at.json('six.jsonl'))).toEqual([6])
    expect(numbersIn(at.json('low.jsonl'))).toEqual([1, 2])
    expect(numbersIn(at.json('rest.jsonl'))).toEqual([4, 5])
  })

  it('names a mistake of an expression in a URI', async () => {
    const run = await mqb(['copy', 'file:a.jsonl', 'switch:?when=n >&to=null:', '--drain'])
    expect(run.code).toBe(2)
    expect(run.stderr).toContain('MQB_EXPRESSION_INVALID copy.output.switch.when[0].if')
  })
})
