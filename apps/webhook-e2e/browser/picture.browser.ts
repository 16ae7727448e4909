/**
 * Takes the pictures of the documentation, all from one scene: whatever differs between two runs, two machines and two
 * versions is set here. `npx nx run webhook-e2e:pictures` writes them to docs/images, and what they are made from.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { afterThisFile, makeFolder } from '@plant-store/test-support';
import type { BrowserContextOptions, Page } from 'playwright-core';

import { ROOT } from '../support/development.js';
import { changeInbox } from '../support/inbox.js';
import { sendAll, untilNothingWaits } from '../support/poison.js';
import { preloading } from '../support/receiver.js';
import { writeMadeFrom } from './made-from.js';
import {
  deliver,
  describeWithBrowser,
  type InspectedReceiver,
  PHONE,
  startInspected,
  visit,
} from './visit.js';

const { TAKE_PICTURES } = process.env;
const PICTURES = join(ROOT, TAKE_PICTURES ? 'docs/images' : 'apps/webhook-e2e/test-output');

const LAPTOP = { viewport: { width: 1280, height: 800 }, deviceScaleFactor: 1.5 };
const CLOCK = fileURLToPath(new URL('scene-clock.mjs', import.meta.url));
const MINUTE = 60_000;
/** When the pictures are taken. The last delivery has just come. */
const NOW = Date.UTC(2026, 10, 24, 9, 30, 4);
const DELIVERIES = 72;
const FOR_EVER = String(Number.MAX_SAFE_INTEGER);

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

/** The deliveries come through an hour. What their process, its clock and its folder left is replaced. */
const setScene = (handler: string): string => `
  UPDATE delivery SET
    key = '5f0c1e52-7d0b-4c56-9a3e-' || printf('%012d', id),
    received_at = ${NOW} - ${60 * MINUTE} * (${DELIVERIES} - id) / ${DELIVERIES};
  UPDATE delivery SET
    claimed_at = received_at + CASE state WHEN 'parked' THEN 38 ELSE 1 END,
    ended_at = received_at + CASE state WHEN 'parked' THEN 41 ELSE 14 END;
  UPDATE attempt SET
    started_at = (SELECT received_at FROM delivery WHERE id = attempt.delivery) + 1 + (number - 1) * 18,
    duration = 3, receiver = 'greenhouse/1/86b36d',
    stack = replace(stack, '${handler}', '/srv/greenhouse/handler.mjs');`;

/** Where the inbox is, how large, and how long attempts took: all of a test, and other ones each time. */
async function showScene(page: Page): Promise<void> {
  await page.route(/\/(?:\?.*)?$/, async (route) => {
    try {
      const response = await route.fetch();
      const html = (await response.text())
        .replace(
          /<code>[^<]*inbox\.sqlite<\/code> · [^<]*on disk/,
          '<code>/srv/greenhouse/inbox/inbox.sqlite</code> · 1.8 MB on disk',
        )
        .replace(
          /<strong>[^<]*<\/strong> attempt <span class="note">[^<]*</,
          '<strong>13 ms</strong> attempt <span class="note">p50, 45 ms p95<',
        );
      await route.fulfill({ response, body: html });
    } catch {
      // The page asks every two seconds, and was reloaded or closed meanwhile.
    }
  });
  await page.reload();
}

/** Runs in the page. A part that is drawn again looks slightly different from one that is drawn with the whole page. */
async function redrawAll(): Promise<void> {
  const untilDrawn = (): Promise<unknown> =>
    new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
  document.documentElement.hidden = true;
  await untilDrawn();
  document.documentElement.hidden = false;
  await untilDrawn();
}

const SHOWN: readonly [name: string, place: string, options: BrowserContextOptions][] = [
  ['inspector', '?delivery=63', LAPTOP],
  ['inspector-failing', '?state=parked', LAPTOP],
  ['inspector-dark', '?state=parked&delivery=63', { ...LAPTOP, colorScheme: 'dark' }],
  ['inspector-phone', '?state=parked', PHONE],
];

describeWithBrowser('the pictures of the documentation', () => {
  let receiver: InspectedReceiver;
  const taken: string[] = [];

  beforeAll(async () => {
    mkdirSync(PICTURES, { recursive: true });
    const handler = makeHandler();
    const settings = {
      ...preloading(CLOCK),
      ...{ RECEIVER_NAME: 'greenhouse' },
      ...{ HANDLER: handler, HANDLER_MAX_ATTEMPTS: '3', HANDLER_BACKOFF_MS: '10' },
      // The scene is in the past.
      ...{ RETENTION_MS: FOR_EVER, EVENT_RETENTION_MS: FOR_EVER },
    };
    receiver = await startInspected({ settings, cleanUp: afterThisFile });
    await sendAll(
      receiver,
      Array.from({ length: 59 }, (_, index) => `Arbitrary content ${index + 1}`),
    );
    const notes = { text: 'The fields of a plant are open.', parts: ['arbitrary', { more: [1, 2] }] };
    for (let number = 60; number <= DELIVERIES; number += 1)
      await deliver(receiver, JSON.stringify({ number, notes }), { 'content-type': 'application/json' });
    await untilNothingWaits(receiver.inbox);
    changeInbox(receiver.inbox, setScene(handler));
    receiver.process.signal('SIGUSR2');
  });

  afterAll(() => {
    if (TAKE_PICTURES && taken.length === SHOWN.length) writeMadeFrom();
  });

  test.each(SHOWN)('%s', async (name, place, options) => {
    const { page } = await visit(receiver, place, { ...options, locale: 'en-GB', timezoneId: 'UTC' });
    await page.getByText(/on disk/).waitFor({ state: 'attached' });
    await showScene(page);
    await page.locator('#rows').getByText('connect ECONNREFUSED').first().waitFor({ state: 'attached' });
    await page.getByText(/on disk/).waitFor({ state: 'attached' });
    if (place.includes('delivery')) await page.locator('.json').getByText('"notes"').waitFor();
    await page.evaluate(() => document.fonts.ready);
    await page.evaluate(redrawAll);

    await page.screenshot({ path: join(PICTURES, `${name}.png`) });
    taken.push(name);
  });
});
