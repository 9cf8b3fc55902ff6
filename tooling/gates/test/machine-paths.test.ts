import { describe, expect, it } from 'vitest'
import { pathsIn } from '../machine-paths.ts'

// Put together here, so that this file is not one of those that the gate finds.
const home = ['', 'home', 'ada', 'mqb'].join('/')

describe('the gate of machine paths', () => {
  it('finds the home of a person and the folder of the checkout, with the line', () => {
    expect(pathsIn(`a\nsee ${home}/README.md\n`, [])).toEqual([{ line: 2, found: home.slice(0, 10) }])
    expect(pathsIn('/srv/checkout/mqb/x', ['/srv/checkout/mqb'])).toHaveLength(1)
  })

  it('leaves ordinary paths alone', () => {
    expect(pathsIn('/etc/mqb/ca.pem /var/log/app.log ./home/x https://example.com/home/x/y', [])).toEqual([])
  })

  it('does not look into binary files', () => {
    expect(pathsIn(`\0${home}/x`, [])).toEqual([])
  })
})
