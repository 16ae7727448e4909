import { readFileSync } from 'node:fs';

import { tableOf } from '@plant-store/test-support';

const PAGE = new URL('../../../docs/reliability.md', import.meta.url);

/** What may hold a promise: a test, or a fault of the soak. */
const PROOF = /\.(test|nightly|suite|postgres)\.ts$|\/tools\/soak\/src\/faults\//;

const text = readFileSync(PAGE, 'utf8');

describe.each(['Deliveries', 'Handling', 'Strangers', 'Shared inbox', 'Outbox'])(
  '%s: each promise has tests that exist:',
  (heading) => {
    test.each(tableOf(text, heading))('%s', (_promise, tests) => {
      const links = Array.from(
        tests.matchAll(/\[(.+?)\]\((.+?)\)/g),
        ([, name, path]) => [name!, path!] as const,
      );
      expect(links.length).toBeGreaterThan(0);
      for (const [name, path] of links) {
        expect(path).toMatch(PROOF);
        expect(quotedIn(readFileSync(new URL(path, PAGE), 'utf8'))).toContainEqual(
          expect.stringContaining(name),
        );
      }
    });
  },
);

/** The texts in quotation marks. A test's name is one, or a part of one. */
function quotedIn(source: string): string[] {
  return Array.from(source.matchAll(/(['"`])(.*?)\1/g), ([, , quoted]) => quoted!);
}
