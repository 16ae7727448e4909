/**
 * How the inspector looks with the longest and strangest values: in each state, on three widths, in both schemes.
 * `WRITE_PICTURES=folder npx nx browser webhook-e2e -- appearance` writes a picture of each.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

import { facts } from '@plant-store/contract';
import { afterThisFile, freePort, makeFolder } from '@plant-store/test-support';
import type { Page } from 'playwright-core';

import { untilNothingWaits } from '../support/poison.js';
import {
  deliver,
  describeWithBrowser,
  faultsOf,
  type InspectedReceiver,
  post,
  startInspected,
  visit,
} from './visit.js';

const { WRITE_PICTURES } = process.env;

const WIDTHS = [
  { width: 1440, height: 900 },
  { width: 1024, height: 768 },
  { width: 390, height: 844 },
];

const LONG_WORD = 'Zamioculcas'.repeat(40);
const LONG_TEXT = 'The greenhouse of the second floor did not answer the question about its plants. '.repeat(
  4,
);
const RIGHT_TO_LEFT = 'ورود گیاه تازه به فروشگاه';

/** Fails as the content says. */
const HANDLER = `
  class GreenhouseUnavailableAfterAllItsRetriesError extends Error { name = this.constructor.name; }
  const fates = {
    long: () => { throw new GreenhouseUnavailableAfterAllItsRetriesError(${JSON.stringify(LONG_TEXT)},
      { cause: new TypeError(${JSON.stringify(LONG_TEXT)}, { cause: new Error('connect ECONNREFUSED 127.0.0.1:5432') }) }); },
    word: () => { throw new Error(${JSON.stringify(LONG_WORD)}); },
    differs: (attempt) => { throw new TypeError(['one', 'two', 'three'][attempt % 3] + ' ' + ${JSON.stringify(RIGHT_TO_LEFT)}); },
    equal: () => { throw new TypeError("Cannot read properties of undefined (reading 'species')"); },
    refused: () => { throw new Error('connect ECONNREFUSED 127.0.0.1:5432'); },
    waits: () => new Promise(() => undefined),
  };
  export default ({ content, attempts }) => fates[/fate: ([a-z]+)/.exec(String(content))?.[1]]?.(attempts);`;

/** JSON of depth 40. */
const DEEP = `${'{"species":['.repeat(20)}"${RIGHT_TO_LEFT}"${']}'.repeat(20)}`;

const FIELDS = Object.fromEntries([
  ...Array.from({ length: 28 }, (_, index) => [`x-arbitrary-field-of-the-sender-${index}`, `value ${index}`]),
  ['x-long', LONG_WORD],
  [LONG_WORD.slice(0, 150), 'a long name'],
]) as Record<string, string>;

const JSON_TYPE = { 'content-type': 'application/json' };

/** What is shown, and how it is opened. */
interface Shown {
  readonly name: string;
  readonly place: string;
  readonly until: string;
}

/** A receiver with everything that is hard to show. Its first run parks, its second one is at work. */
async function makeReceiver(): Promise<{ receiver: InspectedReceiver; shown: readonly Shown[] }> {
  const folder = makeFolder(afterThisFile);
  const HANDLER_FILE = join(folder, 'handler.mjs');
  writeFileSync(HANDLER_FILE, HANDLER);
  const settings = {
    HANDLER: HANDLER_FILE,
    RECEIVER_NAME: 'greenhouse-of-the-second-floor-in-production-eu-1',
    HANDLER_MAX_ATTEMPTS: '12',
  };
  const options = { folder, cleanUp: afterThisFile };
  const first = await startInspected({ ...options, settings: { ...settings, HANDLER_BACKOFF_MS: '1' } });
  const send = (content: string | Buffer, fields: Record<string, string> = {}): Promise<number> =>
    deliver(first, content, fields);
  const discarded = await send('{"fate: equal":1}', JSON_TYPE);
  for (const fate of ['refused', 'refused', 'differs']) await send(`{"fate: ${fate}":1}`, JSON_TYPE);
  const replayed = await send(
    `{"name":"Zamioculcas zamiifolia","note":${JSON.stringify(LONG_TEXT)}}`,
    JSON_TYPE,
  );
  const long = await send(`fate: long ${LONG_WORD}`, FIELDS);
  const word = await send('fate: word', FIELDS);
  const differs = await send(`fate: differs ${RIGHT_TO_LEFT}`, {
    'x-name': Buffer.from(RIGHT_TO_LEFT).toString('latin1'),
  });
  const equal = await send(`{"fate: equal":${DEEP}}`, JSON_TYPE);
  const deep = await send(DEEP, JSON_TYPE);
  const gzip = await send(gzipSync(LONG_TEXT), { ...JSON_TYPE, 'content-encoding': 'gzip' });
  const binary = await send(Buffer.from([0xff, 0xfe, 0xc3, 0x28, ...Buffer.from(LONG_TEXT)]), {
    'content-type': '',
  });
  await untilNothingWaits(first.inbox);
  const act = (kind: string, id: number, origin: object): Promise<void> =>
    post(first, 'acts', {
      kind,
      filter: { ids: [id], state: kind === 'discard' ? 'parked' : 'handled' },
      ...origin,
    });
  await act('discard', discarded, { operator: RIGHT_TO_LEFT, reason: LONG_TEXT });
  for (let times = 0; times < 22; times += 1) {
    await act('replay', replayed, {
      operator: times % 2 ? RIGHT_TO_LEFT : 'ada@greenhouse',
      reason: times % 3 ? 'again' : LONG_WORD,
    });
    await untilNothingWaits(first.inbox);
  }
  await first.process.stop();

  const receiver = await startInspected({
    ...options,
    settings: { ...settings, HANDLER_BACKOFF_MS: '600000' },
  });
  const retrying = await deliver(receiver, '{"fate: refused":2}', JSON_TYPE);
  const running = await deliver(receiver, '{"fate: waits":1}', JSON_TYPE);
  for (const path of [facts.DELIVERY_PATH, '/another/path'])
    for (const authorization of ['Bearer not-of-this-receiver', 'Basic'])
      await fetch(new URL(path, receiver.origin), { method: 'POST', headers: { authorization }, body: 'a' });
  const one = (name: string, id: number): Shown => ({
    name,
    place: `?delivery=${id}`,
    until: `Delivery ${id}`,
  });
  return {
    receiver,
    shown: [
      { name: 'list', place: '', until: 'Newest' },
      { name: 'parked', place: '?state=parked', until: 'parked' },
      {
        name: 'limited',
        place: `?text=${LONG_WORD.slice(0, 150)}&receivedFrom=2001-01-01`,
        until: 'exactly',
      },
      one('long error', long),
      one('long word', word),
      one('right to left', differs),
      { ...one('equal attempts', equal), until: 'attempts 2 and 3 are not kept' },
      one('deep', deep),
      one('gzip', gzip),
      one('not UTF-8', binary),
      one('many acts', replayed),
      one('discarded', discarded),
      one('retrying', retrying),
      one('running', running),
      { name: 'errors', place: '?view=errors', until: 'What fails' },
      { name: 'acts', place: '?view=acts', until: 'What operators did' },
      { name: 'refused', place: '?view=refused', until: 'Refused requests' },
    ],
  };
}

/**
 * What is wider than its panel, torn in two, too small to read, or of another size than the page has. Runs in the page.
 */
function findFaults(): string[] {
  const faults = new Set<string>();
  const named = (element: Element): string =>
    `${element.localName}.${element.className} “${element.textContent.trim().slice(0, 40)}”`;
  const { clientWidth, scrollWidth } = document.documentElement;
  if (scrollWidth > clientWidth) faults.add(`the document is ${scrollWidth} of ${clientWidth} pixels wide`);
  for (const element of document.body.querySelectorAll<HTMLElement>('*')) {
    const { width, right } = element.getBoundingClientRect();
    if (width <= 1 || !element.checkVisibility() || element.closest('svg')) continue;
    // It is of the window, and in no panel.
    if (getComputedStyle(element).position === 'fixed') continue;
    for (let panel = element.parentElement; panel !== null; panel = panel.parentElement) {
      if (getComputedStyle(panel).overflowX !== 'visible') break;
      if (!panel.matches('.card, section, header, main, footer, dialog, td, th, li, dd')) continue;
      const over = right - panel.getBoundingClientRect().right;
      if (over > 1) faults.add(`${named(element)} is ${Math.round(over)} pixels wider than ${named(panel)}`);
    }
    const { fontSize } = getComputedStyle(element);
    if (!['16px', '14px', '12px'].includes(fontSize))
      faults.add(`${named(element)} has the size ${fontSize}`);
  }
  // What is beside each other takes its own room.
  for (const list of document.querySelectorAll('main :is(tr, ul, ol, dl), header, .row')) {
    const boxes = [...list.querySelectorAll(':scope > *, :scope > td > *')]
      .filter((element) => element.checkVisibility() && !element.matches('.unseen, .of-chosen'))
      .map((element) => ({ element, box: element.getBoundingClientRect() }));
    for (const [index, one] of boxes.entries())
      for (const other of boxes.slice(index + 1)) {
        if (one.element.contains(other.element)) continue;
        const across = Math.min(one.box.right, other.box.right) - Math.max(one.box.left, other.box.left);
        const down = Math.min(one.box.bottom, other.box.bottom) - Math.max(one.box.top, other.box.top);
        if (across > 1 && down > 1) faults.add(`${named(one.element)} lies over ${named(other.element)}`);
      }
  }
  // The buttons of a row wrap together.
  for (const row of document.querySelectorAll('.row')) {
    const buttons = [...row.querySelectorAll(':scope > :is(button, .button)')];
    const [first, ...others] = buttons.map((element) => element.getBoundingClientRect());
    if (others.some(({ top }) => Math.abs(top - first!.top) > 4))
      faults.add(`the buttons of ${named(row)} are torn`);
  }
  const rows = [...document.querySelectorAll('tr')].filter((row) => row.checkVisibility());
  for (const row of rows)
    for (const cell of row.querySelectorAll('td, th')) {
      const over = cell.getBoundingClientRect().bottom - row.getBoundingClientRect().bottom;
      if (cell.checkVisibility() && over > 1)
        faults.add(`${named(cell)} is ${Math.round(over)} pixels below its row`);
    }
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let text = texts.nextNode(); text !== null; text = texts.nextNode()) {
    const parent = text.parentElement!;
    if (!parent.checkVisibility() || parent.closest('code, pre, script')) continue;
    for (const { 0: word, index } of (text.textContent ?? '').matchAll(/[\p{L}\p{N}]{2,20}/gu)) {
      const [before, after] = [text.textContent![index - 1], text.textContent![index + word.length]];
      if (/[\p{L}\p{N}]/u.test(`${before}${after}`.replaceAll('undefined', ''))) continue;
      const range = document.createRange();
      range.setStart(text, index);
      range.setEnd(text, index + word.length);
      const lines = new Set([...range.getClientRects()].map(({ top }) => Math.round(top)));
      if (lines.size > 1) faults.add(`“${word}” is torn in ${named(parent)}`);
    }
  }
  return [...faults];
}

/** Runs in the page, as do the following. */
const untilDrawn = (): Promise<unknown> =>
  new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));

/** What has moved up or down since the page was opened, but for what somebody's act moved. */
function findShifts(): Promise<string[]> {
  interface Shift extends PerformanceEntry {
    readonly sources: readonly { node: Node | null; previousRect: DOMRect; currentRect: DOMRect }[];
  }
  const textOf = (list: PerformanceObserverEntryList): string[] =>
    (list.getEntries() as Shift[])
      .flatMap(({ sources }) => sources)
      .filter(({ previousRect, currentRect }) => previousRect.y !== currentRect.y)
      .map(({ node }) => node?.textContent?.trim().slice(0, 40) ?? '');
  return new Promise((resolve) => {
    new PerformanceObserver((list) => resolve(textOf(list))).observe({
      type: 'layout-shift',
      buffered: true,
    });
    requestAnimationFrame(() => requestAnimationFrame(() => resolve([])));
  });
}

/** Opens everything that folds, but for the JSON and the menu of times. */
async function openAll(page: Page): Promise<void> {
  await page.evaluate(() => {
    for (const details of document.querySelectorAll<HTMLDetailsElement>('details:not(.json details, .menu)'))
      details.open = true;
  });
}

const topsOf = (page: Page): Promise<number[]> =>
  page.locator('#rows tr').evaluateAll((rows) => rows.map((row) => row.getBoundingClientRect().top));

/** Whether what the pointer is at can't be undone. */
const isDangerousAt = (page: Page, x: number, y: number): Promise<boolean> =>
  page.evaluate(([x, y]) => document.elementFromPoint(x, y)?.closest('button.bad') !== null, [x, y] as const);

const tall = (row: { readonly y: number; readonly height: number }): number => row.y + row.height / 2;

describeWithBrowser('with long and strange values', () => {
  let receiver: InspectedReceiver;
  let shown: readonly Shown[];

  beforeAll(async () => {
    ({ receiver, shown } = await makeReceiver());
    if (WRITE_PICTURES) mkdirSync(WRITE_PICTURES, { recursive: true });
  }, 300_000);

  const picture = async (page: Page, name: string): Promise<void> => {
    if (!WRITE_PICTURES) return;
    const width = page.viewportSize()!.width;
    for (const colorScheme of ['dark', 'light'] as const) {
      await page.emulateMedia({ colorScheme });
      const path = join(WRITE_PICTURES, `${name.replaceAll(' ', '-')}-${width}-${colorScheme}.png`);
      await page.screenshot({ path, fullPage: width === 390 });
    }
  };

  describe.each(WIDTHS)('the inspector, $width pixels wide,', (viewport) => {
    test('is nowhere wider than its parts, tears no word, and shows the content', async () => {
      const { page } = await visit(receiver, '', { viewport });
      const faults: Record<string, readonly unknown[]> = {};
      for (const { name, place, until } of shown) {
        await page.goto(`${receiver.inspector}${place}`);
        await page.getByText(/on disk/).waitFor({ state: 'attached' });
        if (until !== 'Newest') await page.getByText(until).filter({ visible: true }).first().waitFor();
        if (place.includes('delivery=')) await page.locator('.timeline').waitFor();
        await picture(page, name);
        const heights = await page
          .locator('tbody tr')
          .evaluateAll((rows) => rows.map((row) => (row.checkVisibility() ? row.clientHeight : 0)));
        const found: unknown[] = heights
          .filter((height) => height > 240)
          .map((height) => `a row of ${height} pixels`);
        await openAll(page);
        found.push(...(await page.evaluate(findFaults)));
        for (const colorScheme of ['light', 'dark'] as const) {
          await page.emulateMedia({ colorScheme });
          found.push(...(await faultsOf(page)));
        }
        await picture(page, `${name} open`);
        if (found.length > 0) faults[name] = found;
      }
      expect(faults).toEqual({});
    }, 400_000);

    test('moves no row when one is selected or opened, and puts nothing dangerous under the pointer', async () => {
      const { page } = await visit(receiver, '?state=parked', { viewport });
      await page.locator('#rows tr').nth(2).waitFor();
      await page.getByText(/on disk/).waitFor();
      await page.getByRole('region', { name: 'What fails' }).waitFor();
      const before = await topsOf(page);
      for (const index of [0, 2]) {
        const box = (await page.locator('#rows [type=checkbox]').nth(index).boundingBox())!;
        await page.mouse.click(box.x + box.width / 2, tall(box));
        await page.getByRole('button', { name: `Discard ${index === 0 ? 1 : 2}…` }).waitFor();
        expect(await topsOf(page)).toEqual(before);
        expect(await isDangerousAt(page, box.x + box.width / 2, tall(box))).toBe(false);
      }
      await picture(page, 'selected');

      for (const place of [0.1, 0.5, 0.95])
        for (const isScrolled of [false, true]) {
          await page.goto(`${receiver.inspector}?state=parked`);
          const row = page.locator('#rows tr').nth(isScrolled ? 4 : 0);
          await row.waitFor();
          await page.getByText(/on disk/).waitFor();
          // The first row that is seen below what stays at the top.
          if (isScrolled)
            await row.evaluate((element) => scrollBy(0, element.getBoundingClientRect().top - 33));
          const box = (await row.boundingBox())!;
          const [x, y] = [box.x + box.width * place, tall(box)];
          const rows = await topsOf(page);
          await page.mouse.click(x, y);
          await page.locator('.timeline').waitFor();
          expect([place, isScrolled, await isDangerousAt(page, x, y)]).toEqual([place, isScrolled, false]);
          if (viewport.width > 1024) expect(await topsOf(page)).toEqual(rows);
        }
    });

    test('moves nothing down when it opens, or when it asks again', async () => {
      const { page } = await visit(receiver, '', { viewport });
      const shown = page.locator('#shown time');
      const before = await shown.textContent();
      await shown.getByText(before!).waitFor({ state: 'hidden' });
      await page.evaluate(untilDrawn);
      expect(await page.evaluate(findShifts)).toEqual([]);
    });

    test.each(viewport.width === 390 ? ['', '?state=parked'] : [''])(
      'shows the first delivery within 280 pixels, below three errors: /%s',
      async (place) => {
        const { page } = await visit(receiver, place, { viewport });
        await page.locator('#rows tr').first().waitFor();
        await page.getByRole('link', { name: /more errors?$/ }).waitFor();
        expect(await page.locator('.errors code').count()).toBe(3);
        expect((await topsOf(page))[0]).toBeLessThanOrEqual(280);
      },
    );
  });

  test('goes to the top of the list with an older page', async () => {
    const receiver = await startInspected();
    for (let sent = 0; sent < 60; sent += 1) await deliver(receiver, 'arbitrary');
    const { page } = await visit(receiver);
    await page.getByRole('link', { name: 'Older' }).click();
    await page.getByRole('rowheader', { name: '10', exact: true }).waitFor();
    await page.getByRole('heading', { name: 'Deliveries' }).and(page.locator(':focus')).waitFor();
    expect(await page.evaluate(() => scrollY)).toBeLessThan(300);
  });

  test.each(WIDTHS)(
    'says over the whole width that the receiver is gone, and offers no act',
    async (viewport) => {
      const settings = { OPERATIONS_PORT: String(await freePort()) };
      const gone = await startInspected({ settings });
      const id = await deliver(gone, 'throw an error');
      const { page, tolerate } = await visit(gone, '', { viewport });
      // The browser says so, too.
      tolerate(/net::ERR_/);
      await page.getByRole('region', { name: 'What fails' }).waitFor();
      await picture(page, 'one delivery');
      await page.goto(`${gone.inspector}?delivery=${id}`);
      await page.getByRole('button', { name: 'Discard…', exact: true }).waitFor();

      await gone.process.kill();

      const bar = page.getByText(/receiver has not responded since/);
      await bar.waitFor();
      expect((await bar.boundingBox())!.width).toBe(viewport.width);
      for (const name of ['Discard…', 'Replay…', 'Pause the handler'])
        expect([name, await page.getByRole('button', { name, exact: true }).isDisabled()]).toEqual([
          name,
          true,
        ]);
      expect([...(await page.evaluate(findFaults)), ...(await faultsOf(page))]).toEqual([]);
      await picture(page, 'gone');
    },
    120_000,
  );

  test.each(WIDTHS)(
    'shows an empty inbox and a pause without a fault',
    async (viewport) => {
      const empty = await startInspected();
      const { page } = await visit(empty, '', { viewport });
      await page.getByText('No delivery has arrived').waitFor();
      await page.getByRole('button', { name: 'Pause the handler' }).click();
      expect([...(await page.evaluate(findFaults)), ...(await faultsOf(page))]).toEqual([]);
      await picture(page, 'question');
      await page.getByRole('button', { name: 'Pause', exact: true }).click();
      await page.getByText('The handler is paused', { exact: true }).waitFor();
      expect([...(await page.evaluate(findFaults)), ...(await faultsOf(page))]).toEqual([]);
      await picture(page, 'empty');
      await page.keyboard.press('?');
      await page.getByRole('heading', { name: 'Keys' }).waitFor();
      expect([...(await page.evaluate(findFaults)), ...(await faultsOf(page))]).toEqual([]);
      await picture(page, 'keys');
    },
    120_000,
  );
});
