import { readFileSync } from 'node:fs';
import { runCli } from './run-cli.js';

const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
const documented = Array.from(
  readme.matchAll(/^\| `openapi ([\w-]+)` +\|.*\| ([^|]+?) +\|$/gm),
  ([, command = '', formats = '']) => ({ command, formats }),
);

describe('the README', () => {
  it('lists every command', () => {
    const listed = Array.from(runCli(['--help']).out.matchAll(/^ {2}([\w-]+)/gm), ([, command]) => command);
    expect(documented.map(({ command }) => command).sort()).toEqual(listed.sort());
  });

  it.each(documented)('$command: $formats', ({ command, formats }) => {
    const { out } = runCli([command, '--help']);
    const isChoice = /^[a-z]/.test(formats);
    expect(/^.*--format/m.test(out)).toBe(isChoice);
    if (isChoice) for (const format of formats.split(', ')) expect(out).toContain(format);
  });
});
