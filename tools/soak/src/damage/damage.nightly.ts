import { makeFolder } from '@plant-store/test-support';

import { damageInboxes } from './damage-inboxes.js';

/** Fixed, because Nx keeps the result. `npm run soak` draws others. */
const SEED = 1;

test(`60 damaged inboxes skip no delivery silently (seed ${SEED})`, async () => {
  const result = await damageInboxes({ folder: makeFolder(), inboxes: 60, seed: SEED });

  expect(result.faults).toEqual([]);
  const { deliveries, whole, changed, reported, unlisted, opened, refused } = result;
  expect(whole + changed + reported + unlisted).toBe(deliveries);
  expect(opened + refused).toBe(60);
  expect(whole).toBeGreaterThan(1_000);
}, 300_000);
