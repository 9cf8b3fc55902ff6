/** Names that occur again get a number: `a`, `a_2`. A name that is taken is passed over. */
export function uniqueNames(names: readonly string[]): string[] {
  const taken = new Set(names)
  const seen = new Set<string>()
  return names.map(name => {
    if (!seen.has(name)) {
      seen.add(name)
      return name
    }
    let count = 2
    while (taken.has(`${name}_${count}`)) count++
    const unique = `${name}_${count}`
    taken.add(unique)
    return unique
  })
}
