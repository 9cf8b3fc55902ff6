import type { PrepareContext, Side } from '@mqb/core'
import { type FileConfig, formatOf } from './config.ts'
import { fileError } from './errors.ts'

/**
 * Rules about fields that depend on each other or on the side.
 *
 * @throws {MqbError} kind `config`.
 */
export function checkSide(config: FileConfig, context: Pick<PrepareContext, 'path' | 'side' | 'warn'>): void {
  const problem = findProblem(config, context.side)
  if (problem !== undefined)
    throw fileError({
      code: 'MQB_FILE_CONFIG',
      where: problem.field === '' ? context.path : `${context.path}.${problem.field}`,
      what: problem.what,
      mend: problem.mend,
    })
  if (config.csv !== undefined && formatOf(config) !== 'csv')
    context.warn('the csv block means nothing with this format', 'set `format: csv`, or remove the block')
}

interface Problem {
  readonly field: string
  readonly what: string
  readonly mend: string
}

function findProblem(config: FileConfig, side: Side): Problem | undefined {
  return side === 'input' ? findInputProblem(config) : findOutputProblem(config)
}

function findInputProblem(config: FileConfig): Problem | undefined {
  const { csv, mode } = config
  const isCsv = formatOf(config) === 'csv'
  if (!config.path.isConstant)
    return {
      field: 'path',
      what: 'an input reads one file: its path has no message to take values from',
      mend: 'write a path without tokens',
    }
  if (isCsv && csv !== undefined && !csv.header && csv.columns === undefined)
    return {
      field: 'csv.columns',
      what: 'a file without header does not name its columns',
      mend: 'list them: columns: [id, name]',
    }
  if (csv?.on_mismatch === 'fail')
    return {
      field: 'csv.on_mismatch',
      what: 'on_mismatch is about writing',
      mend: 'remove it from the input',
    }
  if (mode === 'group_subscribe' && config.group_id === undefined)
    return {
      field: 'group_id',
      what: 'group_subscribe keeps its position under the name of the group',
      mend: 'give one: group_id: billing',
    }
  if (config.group_id !== undefined && mode !== 'group_subscribe')
    return {
      field: 'group_id',
      what: `group_id means nothing with mode: ${mode}`,
      mend: 'set mode: group_subscribe, or remove group_id',
    }
  if (config.delete && mode === 'group_subscribe')
    return {
      field: 'delete',
      what: 'a group keeps a position in the file, so that nothing may be removed from it',
      mend: 'use delete with mode: consume or subscribe',
    }
  if (config.delete && mode === 'subscribe' && isCsv)
    return {
      field: 'delete',
      what: 'subscribe with delete does not read csv',
      mend: 'use mode: consume, or another format',
    }
  if (config.path.source === '-' && (mode !== 'consume' || config.delete))
    return {
      field: 'mode',
      what: 'the standard input has no positions and keeps nothing',
      mend: 'leave mode and delete out',
    }
  return undefined
}

function findOutputProblem(config: FileConfig): Problem | undefined {
  if (formatOf(config) === 'csv' && config.csv?.separator === 'auto')
    return {
      field: 'csv.separator',
      what: 'auto is for inputs: there is nothing to find out from',
      mend: 'name the separator',
    }
  return undefined
}
