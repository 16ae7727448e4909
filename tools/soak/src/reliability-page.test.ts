import { readFileSync } from 'node:fs';

const PAGE = new URL('../../../docs/explanation/reliability.md', import.meta.url);
const SECURITY = new URL('../../../SECURITY.md', import.meta.url);

/** What may hold a promise: a test, or a fault of the soak. */
const PROOF = /\.(test|nightly|suite|postgres)\.ts$|\/tools\/soak\/src\/faults\//;

const text = readFileSync(PAGE, 'utf8');

describe.each(['Deliveries', 'Handling', 'Strangers', 'Shared inbox', 'Outbox'])(
  '%s: each promise has tests that exist:',
  (heading) => {
    test.each(promisesOf(heading))('%s', (_promise, tests) => {
      const links = Array.from(
        tests.matchAll(/\]\((\S+) (['"])(.+?)\2\)/g),
        ([, path, , name]) => [name!, path!] as const,
      );
      expect(links.length).toBeGreaterThan(0);
      expect(tests.split('](')).toHaveLength(links.length + 1);
      expectTests(links, PAGE);
    });
  },
);

describe('SECURITY.md: each defence has tests that exist:', () => {
  const [, defended = ''] = /^## What is defended\n(.*?)^## /ms.exec(readFileSync(SECURITY, 'utf8')) ?? [];
  const defences = Array.from(
    defended.matchAll(/^- \*\*(.+?)\*\* (.+)$/gm),
    ([, defence, tests]) => [defence!, tests!] as const,
  );

  test.each(defences)('%s', (_defence, tests) => {
    const links = Array.from(
      tests.matchAll(/\[(.+?)\]\((.+?)\)/g),
      ([, name, path]) => [name!, path!] as const,
    );
    expect(links.length).toBeGreaterThan(0);
    expectTests(links, SECURITY);
  });
});

function expectTests(links: readonly (readonly [name: string, path: string])[], page: URL): void {
  for (const [name, path] of links) {
    expect(path).toMatch(PROOF);
    expect(quotedIn(readFileSync(new URL(path, page), 'utf8'))).toContainEqual(expect.stringContaining(name));
  }
}

/** The promises of a section, each with the lines that link its tests, named by the title of the link. A promise ends with a line break. */
function promisesOf(heading: string): [promise: string, tests: string][] {
  const [, section = ''] = text.split(`\n## ${heading}\n`);
  const [list = ''] = section.split('\n## ');
  const items = list.split('\n- ').slice(1);
  return items.map((item) => item.split('\\\n') as [string, string]);
}

/** The texts in quotation marks. A test's name is one, or a part of one. */
function quotedIn(source: string): string[] {
  return Array.from(source.matchAll(/(['"`])(.*?)\1/g), ([, , quoted]) => quoted!);
}
