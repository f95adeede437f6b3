import assert from 'node:assert/strict'
import { test } from 'node:test'
import { jsonSyntaxFault } from '../../src/kernel/json-flaws.ts'

const faultOf = (text: string): string => {
  try {
    JSON.parse(text)
  } catch (error) {
    return jsonSyntaxFault(text, error as Error)
  }
  return ''
}

test('the message about a text that is not JSON has the reason and the place', () => {
  const faults: [text: string, fault: string][] = [
    ['{"a":NaN}', `unexpected 'N' in "{"a":NaN}"`],
    [
      `{"long":"${'x'.repeat(100)}","a":None,"b":true,"c":true}`,
      `unexpected 'N' in ..."xxxx","a":None,"b":t"...`,
    ],
    ['{"a":-Infinity}', 'no number after minus sign, at character 7'],
    ['{"a":1},', 'a comma follows the value, at character 8'],
    ['{"a":1}{"b":2}', 'a second value follows the first, at character 8'],
    ['{"a":1}:', 'unexpected non-whitespace character after JSON, at character 8'],
    ['\x1e{"a":1}', `unexpected U+001E in "\x1e{"a":1}"`],
    ["{'a':1}", "expected property name or '}', at character 2"],
    ['{"a":1', "expected ',' or '}' after property value, at character 7"],
    ['{"a":', 'the text ends too early'],
    ['{"a":"x\ty"}', 'bad control character in string literal, at character 8'],
    ['{"a":"\\x"}', 'bad escaped character, at character 8'],
    ['{"a":01}', 'unexpected number, at character 7'],
    ['{"a":1,}', 'expected double-quoted property name, at character 8'],
  ]
  for (const [text, fault] of faults) assert.equal(faultOf(text), fault)
})
