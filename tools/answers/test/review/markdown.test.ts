import { cut, escape, joinSome, marked, shorten } from '../../src/review/markdown.js';

const more = (count: number): string => `and ${count} more`;
const row = (name: string): string => `| ${name} | 1 |`;
const rows = (count: number): string =>
  Array.from({ length: count }, (_, index) => row(`row ${index}`)).join('\n');
const table = (count: number): string => `| Name | Value |\n| --- | --- |\n${rows(count)}`;

describe('cut', () => {
  test('leaves what fits as it is, long cells too', () => {
    const text = `${table(3)}\n${row('x'.repeat(5_000))}`;
    expect(cut(text, 10_000, more)).toBe(text);
  });

  test('ends after a row, and counts the others', () => {
    const text = cut(table(100), 400, more);
    const kept = text.match(/^\| row/gm)!.length;
    expect(text).toBe(`${table(kept)}\n\nand ${100 - kept} more`);
    expect(text.length).toBeLessThanOrEqual(400);
    expect(text.length).toBeGreaterThan(300);
  });

  test('counts the rows of each table, but not their heads', () => {
    expect(cut(`${table(9)}\n\n${table(9)}`, 100, more)).toMatch(/^\| Name .*\n.*\n.*\n.*\n\nand 16 more$/);
  });

  test('closes details', () => {
    const text = cut(`<details>\n<summary>50</summary>\n\n${table(50)}\n\n</details>`, 500, more);
    expect(text).toMatch(/\n\n<\/details>\n\nand \d+ more$/);
  });

  test('closes a block of code', () => {
    const code = `\`\`\`\`\n${'code\n```\n<details>\n'.repeat(50)}\`\`\`\``;
    expect(cut(code, 500, more)).toMatch(/\n(code|```|<details>)\n\n````\n\nand 0 more$/);
  });

  test('shortens long cells before it leaves out rows', () => {
    const long = `| a \\| b<br>\`${'x'.repeat(3_000)}\`<br>c | ${Array(500).fill('one line').join('<br>')} |`;
    const text = cut(`${table(2)}\n${long}\n${row('last')}`, 2_000, more);
    expect(text).toContain('\n| a \\| b<br>(3002 characters)<br>c | one line<br>one line');
    expect(text).toMatch(/<br>and \d+ more lines \|\n\| last \| 1 \|$/);
  });

  test.each([300, 1_000, 5_000, 20_000])('has at most %d characters', (room) => {
    const wide = row(Array(300).fill('a line of a cell').join('<br>'));
    const text = `${Array(50).fill(wide).join('\n')}\n${'word '.repeat(9_000)}`;
    expect(cut(text, room, more).length).toBeLessThanOrEqual(room);
  });
});

test('some of the texts, and how many more there are', () => {
  const texts = Array.from({ length: 9 }, (_, index) => `text ${index}`);
  expect(joinSome(texts, 1_000, more)).toBe(texts.join('\n\n'));
  expect(joinSome(texts, 40, more)).toBe('text 0\n\ntext 1\n\ntext 2\n\nand 6 more');
  expect(joinSome(texts, 20, more).length).toBeLessThanOrEqual(20);
});

test('a short text says how long it was, and has no half of a character', () => {
  expect(shorten('abc', 3)).toBe('abc');
  expect(shorten('abcd', 3)).toBe('abc… (4 characters)');
  expect(shorten('ab🌱cd', 3)).toBe('ab… (6 characters)');
});

test('escaped text has no marks, and mentions nobody', () => {
  expect(escape('a *b* <i>\n# | [c](d) $x')).toBe('a \\*b\\* \\<i\\> \\# \\| \\[c\\](d) \\$x');
  expect(escape('@plants said so')).toBe('@<!-- -->plants said so');
});

test('what stands between back quotes is code', () => {
  expect(marked('pass `method_of` as *it* is')).toBe('pass `method_of` as \\*it\\* is');
  expect(marked('one ` alone')).toBe('one \\` alone');
});
