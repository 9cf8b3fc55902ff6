import type { YAMLError } from 'yaml'
import type { FindingText } from '../problems.ts'

const mends: Partial<Record<YAMLError['code'], string>> = {
  BAD_ALIAS: 'name an anchor that is defined above it',
  BAD_DQ_ESCAPE: 'use single quotes, or double the backslash',
  BAD_INDENT: 'align it with the lines that belong together',
  BLOCK_AS_IMPLICIT_KEY: 'align the keys of a map, or put quotes around a text with ": " in it',
  BLOCK_IN_FLOW: 'inside [ ] and { } separate the entries with commas',
  DUPLICATE_KEY: 'keep one of them',
  BAD_SCALAR_START: 'put quotes around the text',
  MISSING_CHAR: 'add what is missing',
  MULTILINE_IMPLICIT_KEY: 'a key stands on one line: is a colon or a quote missing?',
  MULTIPLE_DOCS: 'keep one document, without a line "---" in between',
  TAB_AS_INDENT: 'indent with spaces',
  TAG_RESOLVE_FAILED: 'remove the tag, or put quotes around the text',
  UNEXPECTED_TOKEN: 'remove it, or put quotes around the text',
}

/** Our words for what the YAML parser found. */
export function syntaxFinding(error: YAMLError, text: string): FindingText {
  if (error.code === 'DUPLICATE_KEY') {
    const key = /^[^\s:,{}]+/.exec(text.slice(error.pos[0]))?.[0] ?? ''
    return {
      code: 'MQB_CONFIG_DUPLICATE_KEY',
      what: `the key ${key} is set twice in the same map`,
      mend: 'keep one of them',
      atKey: true,
    }
  }
  const [offset] = error.pos
  const variable = /^\$\{[^}\s]*\}?/.exec(text.slice(Math.max(offset - 1, 0)))?.[0]
  if (variable !== undefined) {
    return {
      code: 'MQB_CONFIG_SYNTAX',
      what: `inside { } and [ ] the brace of ${variable} is read as a map`,
      mend: `put quotes around it: "${variable}"`,
    }
  }
  if (isUnclosed(error)) {
    return {
      code: 'MQB_CONFIG_SYNTAX',
      what: 'this is not valid YAML: a quote, bracket or brace is opened here and never closed',
      mend: 'close it',
    }
  }
  // Without the piece of the file that the parser quotes: it may be a secret.
  const message = error.message.split('\n')[0]!.replace(/(?: at line \d+, column \d+)?:?(?: ".*)?$/, '')
  return {
    code: 'MQB_CONFIG_SYNTAX',
    what: `this is not valid YAML: ${message.slice(0, 1).toLowerCase()}${message.slice(1)}`,
    mend: mends[error.code] ?? 'correct the line',
  }
}

export function isUnclosed(error: YAMLError): boolean {
  return error.code === 'MISSING_CHAR' && error.message.startsWith('Missing closing')
}

/** Behind such an error the parser has lost its way: what it says next is about the rest of the text, not about mistakes. */
export function losesItsWay(error: YAMLError): boolean {
  return error.code === 'UNEXPECTED_TOKEN' && /at node end|in YAML stream/.test(error.message)
}
