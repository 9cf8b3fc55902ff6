export { JsonSyntaxError } from './error.ts'
export { compilePaths, type PathProgram, type Ranges } from './find.ts'
export { type PathStep, parsePath } from './path.ts'
export {
  escapesSeen,
  expectKey,
  maxDepth,
  skipColon,
  skipLiteral,
  skipNumber,
  skipSpace,
  skipString,
  skipValue,
} from './scan.ts'
export { compileSplice, type SpliceProgram } from './splice.ts'
export { readString } from './string.ts'
export { JsonNumber, type JsonTree, readTree, writeTree } from './tree.ts'
export { type JsonKind, kindAt, readText } from './value.ts'
