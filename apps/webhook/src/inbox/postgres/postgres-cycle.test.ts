import { readFileSync } from 'node:fs';

import { MAX_BYTES, SUSPECT } from '../conditions.js';
import { ACCEPTED, transition } from '../transitions.js';

const SQL = words(readFileSync(new URL('../../../migrations/postgres-7.sql', import.meta.url), 'utf8'));

/** With one space between words. */
function words(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}

/** What the procedure calls the values of a transition. */
const VALUES = { now: 'at', receiver: 'me', wait: 'r.wait', error: 'r.message', group: 'r.message_group' };

test('the procedure sets in each transition what transitions.ts says', () => {
  const updates = SQL.matchAll(/UPDATE plant_store\.delivery SET (.*?) (?:FROM|WHERE) /g);
  const names = ['complete', 'release', 'retry', 'park', 'claim'] as const;

  expect([...updates].map(([, list]) => list)).toEqual(names.map((name) => words(transition(name, VALUES))));
  expect(SQL).toContain(`INSERT INTO plant_store.delivery (id, ${ACCEPTED})`);
});

test('the procedure has the limits of conditions.ts', () => {
  const limits = SQL.matchAll(/(?:interruptions|total) (?:<=|>=|<) (\d+)/g);

  expect(new Set(Array.from(limits, ([, limit]) => Number(limit)))).toEqual(new Set([SUSPECT, MAX_BYTES]));
});
