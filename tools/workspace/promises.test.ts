import { readFileSync } from 'node:fs';

const ROOT = new URL('../../', import.meta.url);

/** What may hold a promise: a test, or a fault of the soak. */
const PROOF = /\.(test|nightly|suite|postgres)\.ts$|(^|\/)tools\/soak\/src\/faults\.ts/;

describe.each([
  {
    page: 'docs/explanation/reliability.md',
    sections: ['Deliveries', 'Handling', 'Strangers', 'Shared inbox', 'Outbox'],
  },
  {
    page: 'SECURITY.md',
    sections: [
      'The receiver, against strangers',
      'The receiver, against senders',
      'Deliveries and operations, against web pages and other users of the machine',
      'Secrets, against readers of logs and errors',
      'This repository, against its dependencies',
    ],
  },
])('$page: each promise has tests that exist:', ({ page, sections }) => {
  const url = new URL(page, ROOT);
  const text = readFileSync(url, 'utf8');

  test.each(sections.flatMap((heading) => promisesOf(text, heading)))('%s', (_promise, tests) => {
    const links = Array.from(
      tests.matchAll(/\]\((\S+) (['"])(.+?)\2\)/g),
      ([, path, , name]) => [name!, path!] as const,
    );
    expect(links.length).toBeGreaterThan(0);
    expect(tests.split('](')).toHaveLength(links.length + 1);
    for (const [name, path] of links) {
      expect(path).toMatch(PROOF);
      expect(quotedIn(readFileSync(new URL(path, url), 'utf8'))).toContainEqual(
        expect.stringContaining(name),
      );
    }
  });
});

/**
 * The promises of a section, each with the lines that link its tests, named by the title of the link. A promise ends
 * with a line break.
 */
function promisesOf(text: string, heading: string): [promise: string, tests: string][] {
  const [, section = ''] = text.split(new RegExp(`\\n#{2,} ${heading}\\n`));
  const [list = ''] = section.split(/\n#{2,} /);
  const items = list.split('\n- ').slice(1);
  expect(items).not.toEqual([]);
  return items.map((item) => item.split('\\\n') as [string, string]);
}

/** The texts in quotation marks. A test's name is one, or a part of one. */
function quotedIn(source: string): string[] {
  return Array.from(source.matchAll(/(['"`])(.*?)\1/g), ([, , quoted]) => quoted!);
}
