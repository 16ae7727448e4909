import { readFileSync } from 'node:fs';

import { help } from './command-line.js';
import { COMMANDS, overview } from './inbox-command.js';

const page = readFileSync(new URL('../../../../docs/plant-inbox.md', import.meta.url), 'utf8');

/** The block of text under a heading of the page. */
const under = (heading: string): string | undefined =>
  new RegExp(`^${heading}\n\n\`\`\`text\n(.*?)\`\`\``, 'ms').exec(page)?.[1];

test('the page has the help text', () => {
  expect(under('## Commands')).toBe(overview());
});

test.each(Object.entries(COMMANDS))('the page has the help text of %s', (name, command) => {
  expect(under(`### ${name}`)).toBe(help(name, command));
});

test('the page describes no other command', () => {
  expect([...page.matchAll(/^### (.*)/gm)].map(([, name]) => name)).toEqual(Object.keys(COMMANDS));
});
