import { EventEmitter, once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { setTimeout } from 'node:timers/promises';

import { afterThisFile, freePort, makeFolder } from '@plant-store/test-support';
import { findOverflow } from '@plant-store/test-support/browser';
import type { Locator, Page, Route } from 'playwright-core';

import { ACCESS_TOKEN } from '../support/messages.js';
import { sendAll, untilNothingWaits } from '../support/poison.js';
import {
  deliver,
  describeWithBrowser,
  DESKTOP,
  type InspectedReceiver,
  PHONE,
  startInspected,
  visit,
} from './visit.js';

const HOSTILE = `<img src=x onerror="alert(1)"><script>alert(2)</script>\u202e</pre>"'&`;

/** The row of a delivery. */
const row = (page: Page, id: number): Locator =>
  page.getByRole('row').filter({ has: page.getByRole('rowheader', { name: String(id), exact: true }) });

const idsOn = async (page: Page): Promise<number[]> =>
  (await page.getByRole('rowheader').allTextContents()).map(Number);

const fact = (page: Page, name: string): Locator =>
  page
    .locator('#detail dl > div')
    .filter({ has: page.locator('dt').getByText(name, { exact: true }) })
    .locator('dd');

const open = async (page: Page, id: number): Promise<void> => {
  await page.getByRole('link', { name: String(id), exact: true }).click();
  await page.getByRole('heading', { name: `Delivery ${id}` }).waitFor();
};

/** Holds back the response to the next request that matches. */
async function holdNext(
  page: Page,
  pattern: RegExp,
): Promise<{ readonly asked: Promise<unknown>; readonly release: () => Promise<void> }> {
  const events = new EventEmitter();
  const asked = once(events, 'asked');
  const hold = async (route: Route): Promise<void> => {
    const response = await route.fetch();
    const released = once(events, 'released');
    events.emit('asked');
    await released;
    await route.fulfill({ response });
    events.emit('done');
  };
  await page.route(pattern, (route) => hold(route), { times: 1 });
  const release = async (): Promise<void> => {
    const done = once(events, 'done');
    events.emit('released');
    await done;
    // The page gets it in a turn of its own, and acts on it.
    await setTimeout(100);
  };
  return { asked, release };
}

/** Does what somebody else does meanwhile. */
async function post({ inspector }: InspectedReceiver, path: string, content: object = {}): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  const { ok } = await fetch(`${inspector}${path}`, {
    method: 'POST',
    headers,
    body: JSON.stringify(content),
  });
  expect(ok).toBe(true);
}

describeWithBrowser.each([
  { name: 'on a desktop', options: DESKTOP },
  { name: 'on a phone', options: PHONE },
])('the inspector $name', ({ options }) => {
  let receiver: InspectedReceiver;

  beforeAll(async () => {
    receiver = await startInspected({ cleanUp: afterThisFile });
  });

  test('shows a delivery by itself when it arrives, and what becomes of it', async () => {
    const { page } = await visit(receiver, '', options);
    await page.getByText(/on disk/).waitFor();

    const handled = await deliver(receiver, '{"arbitrary":1}');
    await row(page, handled).getByText('handled').waitFor();
    const parked = await deliver(receiver, 'throw nothing');
    await row(page, parked).getByText('parked').waitFor();

    expect((await idsOn(page)).slice(0, 2)).toEqual([parked, handled]);
    await page.getByRole('link', { name: /^parked/ }).click();
    await row(page, handled).waitFor({ state: 'detached' });
    expect(await idsOn(page)).toEqual([parked]);
  });

  test('shows the head without credentials, and the content as JSON, text, digits and a file', async () => {
    const content = '{"n":12345678901234567890,"n":1.0,"t":"ä"}';
    const id = await deliver(receiver, content, {
      'content-type': 'application/json',
      'x-arbitrary': 'a value',
    });
    const { page } = await visit(receiver, '', options);
    await open(page, id);

    const detail = page.getByRole('region', { name: `Delivery ${id}` });
    await detail.getByRole('row', { name: 'x-arbitrary a value' }).waitFor();
    expect(await detail.textContent()).not.toContain(ACCESS_TOKEN);
    expect(await fact(page, 'Media type').textContent()).toBe('application/json');
    expect(await fact(page, 'Size').textContent()).toBe(`${Buffer.byteLength(content)} B`);

    const region = page.getByRole('region', { name: 'Content' });
    await region.getByText('"n": 12345678901234567890,').waitFor();
    expect(await region.textContent()).toBe('{\n  "n": 12345678901234567890,\n  "n": 1.0,\n  "t": "ä"\n}');
    await page.getByRole('radio', { name: 'Text' }).check();
    expect(await region.textContent()).toBe(content);
    await page.getByRole('radio', { name: 'Hexadecimal' }).check();
    expect(await region.textContent()).toMatch(/^0000 {2}7b 22 6e 22 3a /);

    const downloading = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Download' }).click();
    const download = await downloading;
    expect(download.suggestedFilename()).toBe(`delivery-${id}`);
    expect(readFileSync(await download.path(), 'utf8')).toBe(content);
  });

  test('runs nothing of what was sent, and shows all of it as text', async () => {
    const failed = await deliver(receiver, `throw an error ${HOSTILE}`, {
      'x-hostile': `<img src=x onerror="alert(3)">"'</td>`,
      'content-type': 'text/html; charset="</dd><script>alert(4)</script>"',
    });
    const json = await deliver(receiver, `{"t":${JSON.stringify(HOSTILE)}}`);
    const { page } = await visit(receiver, `?delivery=${failed}`, options);

    const region = page.getByRole('region', { name: 'Content' });
    await region.getByText('throw an error').waitFor();
    expect(await region.textContent()).toBe(`throw an error ${HOSTILE}`.replace('\u202e', '\\u{202e}'));
    await page.getByRole('row', { name: `x-hostile <img src=x onerror="alert(3)">"'</td>` }).waitFor();
    expect(await fact(page, 'Media type').textContent()).toContain('<script>alert(4)</script>');
    await page.goto(`${receiver.inspector}?delivery=${json}`);
    await region.getByText('"t": "<img').waitFor();
    expect(await page.locator('img, script:not([src]), main script').count()).toBe(0);
  });

  test('is not wider than the window', async () => {
    const id = await deliver(receiver, 'long'.repeat(1_000), { 'x-long': 'long'.repeat(1_000) });
    const { page } = await visit(receiver, '?state=parked', options);
    await page.getByRole('rowheader').first().waitFor();
    for (const place of ['?state=parked', `?delivery=${id}`]) {
      await page.goto(`${receiver.inspector}${place}`);
      await page.getByRole('rowheader').first().waitFor({ state: 'attached' });
      await page.getByText(/on disk/).waitFor({ state: 'attached' });
      for (const width of [320, options.viewport.width]) {
        await page.setViewportSize({ ...options.viewport, width });
        expect([place, await page.evaluate(findOverflow)]).toEqual([place, []]);
      }
    }
  });

  test('has no fault of accessibility, in light and in dark colours', async () => {
    const id = await deliver(receiver, 'throw an error');
    const { page } = await visit(receiver, '', options);
    await row(page, id).getByText('parked').waitFor();
    await page.getByText('Choose by time').click();
    const inBothColours = async (): Promise<void> => {
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        expect([colorScheme, await faultsOf(page)]).toEqual([colorScheme, []]);
      }
    };
    await inBothColours();
    await open(page, id);
    await page.getByRole('region', { name: 'Content' }).getByText('throw').waitFor();
    await inBothColours();
    await page.getByRole('button', { name: 'Discard…', exact: true }).click();
    await inBothColours();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('link', { name: 'Close' }).click();
    await page.getByRole('button', { name: 'Replay these…' }).click();
    await page.getByRole('dialog', { name: /^Replay/ }).waitFor();
    await inBothColours();
  });
});

describeWithBrowser('the inspector', () => {
  let receiver: InspectedReceiver;

  beforeAll(async () => {
    receiver = await startInspected({ cleanUp: afterThisFile });
  });

  test('discards a parked delivery for a reason, and keeps the reason', async () => {
    const id = await deliver(receiver, 'throw nothing');
    const { page } = await visit(receiver, `?delivery=${id}`);
    await fact(page, 'State').getByText('parked').waitFor();
    await page.getByRole('button', { name: 'Discard…', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: `Discard delivery ${id}?` });
    await dialog.getByRole('button', { name: 'Discard' }).click();
    expect(await fact(page, 'State').textContent()).toBe('parked');

    await dialog.getByRole('textbox', { name: 'Reason' }).fill('sent by mistake');
    await dialog.getByRole('button', { name: 'Discard' }).click();

    await fact(page, 'State').getByText('discarded').waitFor();
    expect(await fact(page, 'Reason').textContent()).toBe('sent by mistake');
    await page.getByText('The head and the content were deleted when').waitFor();
    await page.reload();
    await fact(page, 'Reason').getByText('sent by mistake').waitFor();
    expect(await page.getByRole('link', { name: 'Download' }).count()).toBe(0);
  });

  test('pauses and resumes the handler', async () => {
    const { page } = await visit(receiver);
    const banner = page.getByText('The handler is paused. Deliveries');
    await page.getByRole('button', { name: 'Pause the handler' }).click();
    await banner.waitFor();
    const id = await deliver(receiver, 'arbitrary');
    await row(page, id).getByText('waiting').waitFor();
    await page.reload();
    await banner.waitFor();

    await page.getByRole('button', { name: 'Resume the handler' }).click();

    await row(page, id).getByText('handled').waitFor();
    await banner.waitFor({ state: 'hidden' });
  });

  test('needs one list and one set of counts to show', async () => {
    const id = await deliver(receiver, 'arbitrary');
    const { page: earlier } = await visit(receiver);
    await row(earlier, id).getByText('handled').waitFor();
    // Nothing changes any more.
    const { page, requests } = await visit(receiver);
    await row(page, id).waitFor();
    await page.getByText(/^Inbox .* · running since /).waitFor();

    const untilShown = requests.filter((sent) => !/^GET \/(?:inspector\/.*|events)?$/.test(sent));
    expect(untilShown).toEqual(['GET /deliveries?order=newest&limit=51', 'GET /stats']);
  });

  test('shows pages of fifty, and goes older, newer and back', async () => {
    const receiver = await startInspected();
    await sendAll(
      receiver,
      Array.from({ length: 120 }, (_, index) => `{"arbitrary":${index}}`),
    );
    const { page } = await visit(receiver);
    const untilFirst = (id: number): Promise<void> =>
      page.getByRole('rowheader').first().getByText(String(id), { exact: true }).waitFor();
    await untilFirst(120);
    expect(await page.getByRole('link', { name: 'Newer' }).count()).toBe(0);
    await page.getByRole('link', { name: 'Older' }).click();
    await untilFirst(70);
    await page.getByRole('link', { name: 'Older' }).click();
    await untilFirst(20);
    expect(await idsOn(page)).toHaveLength(20);
    expect(await page.getByRole('link', { name: 'Older' }).count()).toBe(0);
    await page.getByRole('link', { name: 'Newer' }).click();
    await untilFirst(70);
    expect(await idsOn(page)).toHaveLength(50);
    await page.goBack();
    await untilFirst(20);
    await page.reload();
    await untilFirst(20);
    await page.getByRole('link', { name: 'Newest' }).click();
    await untilFirst(120);
  });

  test('chooses deliveries by time, and opens one by its id', async () => {
    const known = await deliver(receiver, 'arbitrary');
    const { page, tolerate } = await visit(receiver);
    await row(page, known).waitFor();
    await page.getByText('Choose by time').click();
    await page.getByLabel('before').fill('2001-01-01T00:00:00');
    await page.getByRole('button', { name: 'Filter' }).click();
    await page.getByText('No deliveries received before 2001-01-01 00:00:00.').waitFor();
    await page.getByLabel('before').fill('');
    await page.getByLabel('Received from').fill('2001-01-01T00:00:00');
    await page.getByRole('button', { name: 'Filter' }).click();
    await row(page, known).waitFor();

    const id = page.getByRole('textbox', { name: 'Delivery' });
    await id.fill(String(known));
    await page.getByRole('button', { name: 'Open' }).click();
    await page.getByRole('heading', { name: `Delivery ${known}` }).waitFor();
    await id.fill('1000000');
    await page.getByRole('button', { name: 'Open' }).click();
    await page.getByText('There is no delivery 1000000.').waitFor();
    // The browser says so, too.
    tolerate(/status of 404/);
  });

  test('does not move what somebody points at, and says how many are new', async () => {
    const id = await deliver(receiver, 'arbitrary');
    const { page } = await visit(receiver);
    await row(page, id).hover();
    await deliver(receiver, 'arbitrary');
    await deliver(receiver, 'arbitrary');

    const link = page.getByRole('link', { name: 'Show 2 new' });
    await link.waitFor();
    expect((await idsOn(page))[0]).toBe(id);
    await link.click();
    await row(page, id + 2).waitFor();
    await link.waitFor({ state: 'hidden' });
  });

  test('replays a selection in parts, and says how many', async () => {
    const receiver = await startInspected();
    await sendAll(
      receiver,
      Array.from({ length: 600 }, () => 'fail once'),
    );
    const { page, requests } = await visit(receiver, '?state=parked');
    await page.getByRole('link', { name: 'parked 600' }).waitFor();
    await page.getByRole('button', { name: 'Replay these…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Replay 600 parked deliveries?' });
    await dialog.getByRole('button', { name: 'Replay' }).click();

    await page.getByText('600 deliveries were replayed.').waitFor();
    await page.mouse.move(0, 0);
    await page.getByRole('link', { name: 'handled 600' }).waitFor();
    await page.getByText('No parked deliveries.').waitFor();
    expect(requests.filter((sent) => sent === 'POST /deliveries/replay')).toHaveLength(2);
  });

  test('says how many it replays in which states, and leaves out what is handled unless that is chosen', async () => {
    const folder = makeFolder();
    const first = await startInspected({ folder });
    await sendAll(first, ['arbitrary', 'arbitrary', 'fail once']);
    await untilNothingWaits(first.inbox);
    await first.process.stop();
    const settings = { HANDLER_MAX_ATTEMPTS: '2', HANDLER_BACKOFF_MS: '600000' };
    const receiver = await startInspected({ folder, settings });
    const id = await deliver(receiver, 'fail once');
    const { page, requests } = await visit(receiver);
    await row(page, id).getByText('again at').waitFor();
    await page.getByRole('button', { name: 'Replay these…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Replay 1 waiting and 1 parked delivery?' });
    await dialog.getByText('Handled ones are left out').waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).and(page.locator(':focus')).waitFor();
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'hidden' });
    expect(requests.filter((sent) => sent.startsWith('POST'))).toEqual([]);

    await page.getByRole('button', { name: 'Replay these…' }).click();
    await dialog.getByRole('button', { name: 'Replay' }).click();
    await page.getByText('2 deliveries were replayed.').waitFor();
    await page.getByRole('link', { name: 'handled 3' }).click();
    await page.getByRole('button', { name: 'Replay these…' }).click();
    await page
      .getByRole('dialog', { name: 'Replay 3 handled deliveries?' })
      .getByText('What it has handled, it handles again.')
      .waitFor();
  });

  test('says how many it discards, and Enter discards nothing until somebody has chosen to', async () => {
    const receiver = await startInspected();
    await sendAll(receiver, ['arbitrary', 'throw nothing', 'throw nothing']);
    const { page, requests } = await visit(receiver);
    await page.getByRole('link', { name: 'parked 2' }).waitFor();
    await page.getByRole('button', { name: 'Discard these…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Discard 2 parked deliveries?' });
    await dialog.getByText("This can't be undone.").waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).and(page.locator(':focus')).waitFor();

    await dialog.getByRole('textbox', { name: 'Reason' }).fill('sent by mistake');
    await page.keyboard.press('Enter');
    const button = dialog.getByRole('button', { name: 'Discard' });
    await button.and(page.locator(':focus')).waitFor();
    expect(requests.filter((sent) => sent.startsWith('POST'))).toEqual([]);
    await page.keyboard.press('Enter');

    await page.getByText('2 deliveries were discarded.').waitFor();
    await page.getByRole('link', { name: 'discarded 2' }).waitFor();
    await page.getByRole('button', { name: 'Discard these…' }).click();
    await page.getByText('There are no deliveries to discard.').waitFor();
  });

  test('replays a delivery once for a double click', async () => {
    const id = await deliver(receiver, 'fail once');
    const { page, requests } = await visit(receiver, `?delivery=${id}`);
    await fact(page, 'State').getByText('parked').waitFor();

    expect(await fact(page, 'Last error').textContent()).toContain('failed on purpose');
    await page.getByRole('button', { name: 'Replay', exact: true }).dblclick();

    await fact(page, 'State').getByText('handled').waitFor();
    await page.getByText('1 delivery was replayed.').waitFor();
    expect(requests.filter((sent) => sent === 'POST /deliveries/replay')).toHaveLength(1);
  });

  test('says that the receiver does not respond, and goes on when it does', async () => {
    const folder = makeFolder();
    const settings = { OPERATIONS_PORT: String(await freePort()) };
    const first = await startInspected({ folder, settings });
    await deliver(first, 'arbitrary');
    const { page, tolerate } = await visit(first);
    // The browser says so, too.
    tolerate(/net::ERR_/);
    await row(page, 1).waitFor();
    const banner = page.getByText("The receiver doesn't respond. What you see");
    await first.process.kill();
    await banner.waitFor();

    const second = await startInspected({ folder, settings });
    await deliver(second, 'arbitrary');

    await row(page, 2).waitFor();
    await banner.waitFor({ state: 'hidden' });
  });

  describe('if a response is slow,', () => {
    /** The link of a state, with the number that it has in the end: then nothing changes any more. */
    const untilParked = (page: Page, count: number): Promise<void> =>
      page.getByRole('link', { name: `parked ${count}` }).waitFor();
    const discard = (receiver: InspectedReceiver, id: number): Promise<void> =>
      post(receiver, 'deliveries/discard', { filter: { firstId: id, lastId: id }, reason: 'arbitrary' });

    test('does not take the rows of the next page for deleted', async () => {
      const receiver = await startInspected();
      await sendAll(receiver, [...Array.from({ length: 60 }, () => 'arbitrary'), 'throw nothing']);
      const { page } = await visit(receiver);
      await untilParked(page, 1);
      await row(page, 61).getByText('parked').waitFor();
      await page.getByLabel('Show new ones as they arrive').uncheck();
      const held = await holdNext(page, /limit=500/);
      await discard(receiver, 61);
      await held.asked;
      await page.getByRole('link', { name: 'Older' }).click();
      await row(page, 11).waitFor();

      await held.release();

      expect(await page.getByText('deleted', { exact: true }).count()).toBe(0);
    });

    test('shows what has changed although somebody points at it meanwhile', async () => {
      const receiver = await startInspected();
      await sendAll(receiver, ['throw nothing']);
      const { page } = await visit(receiver);
      await untilParked(page, 1);
      await row(page, 1).getByText('parked').waitFor();
      const held = await holdNext(page, /limit=51/);
      await discard(receiver, 1);
      await held.asked;
      await row(page, 1).hover();

      await held.release();

      await row(page, 1).getByText('discarded').waitFor({ timeout: 5_000 });
    });

    test('keeps what was told after it was asked', async () => {
      const receiver = await startInspected();
      const { page } = await visit(receiver);
      const banner = page.getByText('The handler is paused. Deliveries');
      await page.getByText(/on disk/).waitFor();
      const held = await holdNext(page, /stats$/);
      await page.getByRole('button', { name: 'Pause the handler' }).click();
      await held.asked;
      await banner.waitFor();
      await post(receiver, 'handler/resume');
      await banner.waitFor({ state: 'hidden' });

      await held.release();

      expect(await banner.isVisible()).toBe(false);
    });
  });

  test('shows another inbox whole whose ids are the same', async () => {
    const folder = makeFolder();
    const settings = { OPERATIONS_PORT: String(await freePort()) };
    const other = await startInspected({ folder });
    await deliver(other, 'of the second');
    await other.process.kill();
    // The page shows seconds.
    await setTimeout(1_000);
    const first = await startInspected({ settings });
    await deliver(first, 'of the first');
    const { page, tolerate } = await visit(first, '?delivery=1');
    // The browser says so, too.
    tolerate(/net::ERR_/);
    const region = page.getByRole('region', { name: 'Content' });
    await region.getByText('of the first').waitFor();
    const time = row(page, 1).locator('time');
    const before = await time.textContent();
    await first.process.kill();
    await page.getByText("The receiver doesn't respond. What you see").waitFor();

    await startInspected({ folder, settings });

    await region.getByText('of the second').waitFor({ timeout: 10_000 });
    expect(await time.textContent()).not.toBe(before);
  });

  test('can be used with a keyboard alone', async () => {
    const id = await deliver(receiver, 'throw an error');
    const { page } = await visit(receiver);
    await row(page, id).getByText('parked').waitFor();
    const tabTo = async (name: string): Promise<void> => {
      for (let presses = 0; presses < 40; presses += 1) {
        await page.keyboard.press('Tab');
        const focused = page.locator(':focus');
        if ((await focused.count()) > 0 && (await focused.textContent()) === name) {
          expect(await focused.evaluate((element) => getComputedStyle(element).outlineStyle)).toBe('solid');
          return;
        }
      }
      throw new Error(`The keyboard doesn't reach ${name}.`);
    };
    const focused = (role: 'button' | 'heading' | 'link' | 'textbox', name: string): Promise<void> =>
      page.getByRole(role, { name, exact: true }).and(page.locator(':focus')).waitFor();

    await page.keyboard.press('Tab');
    await focused('link', 'Skip to the deliveries');
    await page.keyboard.press('Enter');
    await tabTo(String(id));
    await page.keyboard.press('Enter');
    await focused('heading', `Delivery ${id}`);
    await tabTo('Discard…');
    await page.keyboard.press('Enter');
    await focused('button', 'Cancel');
    await page.keyboard.press('Shift+Tab');
    await focused('textbox', 'Reason, kept with the delivery');
    await page.keyboard.type('by keyboard');
    await page.keyboard.press('Enter');
    await focused('button', 'Discard');
    await page.keyboard.press('Enter');
    await fact(page, 'Reason').getByText('by keyboard').waitFor();
    await focused('heading', `Delivery ${id}`);
    await page.keyboard.press('Escape');
    await focused('link', String(id));
  });

  test('has links to the page of the interface and to openapi.json, and from there back', async () => {
    const { page, tolerate } = await visit(receiver);
    // The browser asks for an icon, and the policy of the page refuses it.
    tolerate(/favicon/);
    await page.getByRole('link', { name: 'Interface' }).click();
    await page.waitForURL(`${receiver.inspector}api`);
    await page.getByRole('link', { name: 'Inspector' }).click();
    await page.waitForURL(receiver.inspector);
    await page.getByRole('link', { name: 'openapi.json' }).click();
    await page.waitForURL(`${receiver.inspector}openapi.json`);
  });
});

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** What axe-core finds against WCAG 2.2 and the practices that it knows. */
async function faultsOf(page: Page): Promise<unknown[]> {
  await page.evaluate(AXE);
  return page.evaluate(async () => {
    interface Found {
      violations: { id: string; nodes: { html: string; failureSummary: string }[] }[];
    }
    const { axe } = globalThis as unknown as { axe: { run: () => Promise<Found> } };
    const { violations } = await axe.run();
    return violations.map(({ id, nodes }) => [
      id,
      nodes.map(({ html, failureSummary }) => [html, failureSummary]),
    ]);
  });
}
