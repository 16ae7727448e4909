/**
 * Takes the pictures of the documentation. `WRITE_PICTURE=1 npx nx browser webhook-e2e -- picture` writes them to
 * docs/images.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { afterThisFile, makeFolder } from '@plant-store/test-support';
import type { BrowserContextOptions, Page } from 'playwright-core';

import { ROOT } from '../support/development.js';
import { spreadOverHour } from '../support/inbox.js';
import { sendAll, untilNothingWaits } from '../support/poison.js';
import {
  deliver,
  describeWithBrowser,
  type InspectedReceiver,
  PHONE,
  startInspected,
  visit,
} from './visit.js';

const { WRITE_PICTURE } = process.env;
const PICTURES = join(ROOT, WRITE_PICTURE ? 'docs/images' : 'apps/webhook-e2e/test-output');

const LAPTOP = { viewport: { width: 1280, height: 800 }, deviceScaleFactor: 1.5 };
const MINUTE = 60_000;
/** Of the 72 deliveries. */
const PARKED = 13;

/** A handler that can't reach its database for some deliveries, and has a fault that others meet. */
function makeHandler(): string {
  const file = join(makeFolder(afterThisFile), 'handler.mjs');
  writeFileSync(
    file,
    `const find = () => undefined;
     export default ({ id }) => {
       if (id % 9 === 0) {
         const cause = Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:5432'), { code: 'ECONNREFUSED' });
         throw new Error('failed to store the plant', { cause });
       }
       if (id % 14 === 0) return find(id).note;
     };`,
  );
  return file;
}

/** An hour, for which no test waits, with as many deliveries as the table has: of the last ones, some are parked. */
async function showAnHour(page: Page): Promise<void> {
  await page.route('**/activity', async (route) => {
    const response = await route.fetch();
    const activity = (await response.json()) as { minutes: { startedAt: number }[] };
    const present = activity.minutes.at(-1)!.startedAt;
    const minutes = Array.from({ length: 60 }, (_, index) => ({
      ...{ startedAt: present - (59 - index) * MINUTE, received: index % 5 === 4 ? 2 : 1, attempts: 1 },
      ...{ p50: 12 + (index % 3), p95: 40 + ((index * 7) % 11), waiting: 0, retrying: 0 },
      parked: Math.floor(((index + 1) * PARKED) / 60),
    }));
    await route.fulfill({ json: { ...activity, minutes } });
  });
  await page.reload();
}

describeWithBrowser('the pictures of the documentation', () => {
  let receiver: InspectedReceiver;

  beforeAll(async () => {
    mkdirSync(PICTURES, { recursive: true });
    const settings = {
      ...{ HANDLER: makeHandler(), HANDLER_MAX_ATTEMPTS: '3', HANDLER_BACKOFF_MS: '10' },
      RECEIVER_NAME: 'greenhouse',
    };
    receiver = await startInspected({ settings, cleanUp: afterThisFile });
    await sendAll(
      receiver,
      Array.from({ length: 59 }, (_, index) => `Arbitrary content ${index + 1}`),
    );
    const notes = { text: 'The fields of a plant are open.', parts: ['arbitrary', { more: [1, 2] }] };
    for (let number = 60; number <= 72; number += 1)
      await deliver(receiver, JSON.stringify({ number, notes }), { 'content-type': 'application/json' });
    await untilNothingWaits(receiver.inbox);
    spreadOverHour(receiver.inbox);
  });

  test.each<[name: string, place: string, options: BrowserContextOptions]>([
    ['inspector', '?delivery=63', LAPTOP],
    ['inspector-failing', '?state=parked', LAPTOP],
    ['inspector-dark', '?state=parked&delivery=63', { ...LAPTOP, colorScheme: 'dark' }],
    ['inspector-phone', '?state=parked', PHONE],
    ['inspector-evidence', '?view=evidence', LAPTOP],
  ])('%s', async (name, place, options) => {
    const { page } = await visit(receiver, place, options);
    await page.getByText(/on disk/).waitFor({ state: 'attached' });
    await showAnHour(page);
    if (place.includes('evidence')) await page.getByRole('region', { name: 'Methods' }).waitFor();
    else await page.locator('#rows').getByText('connect ECONNREFUSED').first().waitFor({ state: 'attached' });
    await page.getByText(/on disk/).waitFor({ state: 'attached' });
    if (place.includes('delivery')) await page.locator('#detail').getByText('"notes"').waitFor();
    await page.evaluate(() => document.fonts.ready);

    await page.screenshot({ path: join(PICTURES, `${name}.png`) });
  });
});
