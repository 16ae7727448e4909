import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { facts } from '@plant-store/contract';
import { afterThisFile, freePort, makeFolder } from '@plant-store/test-support';
import { findOverflow } from '@plant-store/test-support/browser';
import type { Locator, Page } from 'playwright-core';

import { ACCESS_TOKEN } from '../support/messages.js';
import { sendAll, untilNothingWaits } from '../support/poison.js';
import {
  deliver,
  describeWithBrowser,
  DESKTOP,
  faultsOf,
  type InspectedReceiver,
  PHONE,
  post,
  startInspected,
  visit,
} from './visit.js';

/** What would act in a page that took it for more than text. */
const HOSTILE = [
  '<script>alert(1)</script>',
  '<img src=x onerror="alert(1)">',
  '<svg onload="alert(1)"><animate onbegin="alert(1)" attributeName="x" dur="1s"/></svg>',
  '<svg><script href="data:text/javascript,alert(1)"/></svg>',
  '</code></pre></details></section></main><script>alert(1)</script>',
  '</title></head><body onload="alert(1)">',
  '--><script>alert(1)</script><!--',
  ']]><script>alert(1)</script>',
  '<iframe srcdoc="<script>parent.alert(1)</script>"></iframe>',
  '<iframe src="javascript:alert(1)"></iframe>',
  '<object data="data:text/html,<script>alert(1)</script>"></object>',
  '<a href="javascript:alert(1)">parked</a>',
  '<base href="http://hostile.example/">',
  '<meta http-equiv="refresh" content="0;url=http://hostile.example/">',
  '<link rel="stylesheet" href="http://hostile.example/style.css">',
  '<style>@import "http://hostile.example/style.css"; * { display: none }</style>',
  '<form action="http://hostile.example/"><input autofocus onfocus="alert(1)"><button>Replay</button></form>',
  '" autofocus onfocus="alert(1)" style="display:none" x="',
  "' autofocus onfocus='alert(1)' style='display:none' x='",
  '`${alert(1)}` {{constructor.constructor("alert(1)")()}} <%= alert(1) %>',
  '{"dangerouslySetInnerHTML":{"__html":"<img src=x onerror=alert(1)>"}}',
  '{"__proto__":{"type":"script"},"constructor":{"prototype":{"props":{"src":"http://hostile.example/"}}}}',
  '<math><mtext></table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=alert(1)&gt;">',
  '<div><template shadowrootmode="open"><script>alert(1)</script></template></div>',
  '&lt;script&gt;alert(1)&lt;/script&gt;&#60;img src=x onerror=alert(1)&#62;',
  '+ADw-script+AD4-alert(1)+ADw-/script+AD4-',
  '<img id="rows"><form id="fault"><input id="shown" name="attributes"></form><dialog open>Sign in</dialog>',
  'parked \u202e\u2066\u200b handled\0\u001b]0;title\u0007',
];

/** The row of a delivery. */
const row = (page: Page, id: number): Locator =>
  page.getByRole('row').filter({ has: page.getByRole('rowheader', { name: String(id), exact: true }) });

const idsOn = async (page: Page): Promise<number[]> =>
  (await page.getByRole('rowheader').allTextContents()).map(Number);

/** The state that the details show. */
const stateOf = (page: Page): Locator => page.locator('#delivery + .pill');

/** What happened to the delivery whose details are shown. */
const timeline = (page: Page): Locator => page.getByRole('list', { name: 'What happened' });

const open = async (page: Page, id: number): Promise<void> => {
  await page.getByRole('link', { name: String(id), exact: true }).click();
  await page.getByRole('heading', { name: `Delivery ${id}` }).waitFor();
};

/** Opens everything at a place, and finds the elements and attributes there that no template writes. */
async function foreignIn(page: Page, { inspector }: InspectedReceiver, place: string): Promise<string[]> {
  await page.goto(`${inspector}${place}`);
  return page.evaluate(() => {
    for (const details of document.querySelectorAll('details')) details.open = true;
    const written =
      'img, iframe, object, base, style, template, math, [http-equiv], [style], [onfocus], [onload]';
    const elsewhere = ':is(body script, [href^="javascript"], [action^="http"], link[href^="http"])';
    return [...document.querySelectorAll(`${written}, ${elsewhere}`)].map(({ outerHTML }) => outerHTML);
  });
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

  test('is not wider than the window', async () => {
    const id = await deliver(receiver, 'long'.repeat(1_000), { 'x-long': 'long'.repeat(1_000) });
    await deliver(receiver, 'throw nothing');
    const { page } = await visit(receiver, '?state=parked', options);
    await page.getByRole('rowheader').first().waitFor();
    for (const place of ['?state=parked', `?delivery=${id}`]) {
      await page.goto(`${receiver.inspector}${place}`);
      await page.locator('#rows tr').first().waitFor({ state: 'attached' });
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
    await page.getByRole('link', { name: 'Cancel' }).click();
    await page.getByRole('link', { name: 'Close' }).click();
    await page.getByRole('checkbox', { name: `Select delivery ${id}` }).check();
    await page.getByRole('button', { name: 'Replay 1…' }).filter({ visible: true }).last().click();
    await page.getByRole('dialog', { name: /^Replay/ }).waitFor();
    await inBothColours();
    await page.getByRole('link', { name: 'Cancel' }).click();
    await page.getByRole('link', { name: /^Refused/ }).click();
    await page.getByText(/^No request was refused/).waitFor();
    await inBothColours();
  });
});

describeWithBrowser('the inspector', () => {
  let receiver: InspectedReceiver;

  beforeAll(async () => {
    receiver = await startInspected({ cleanUp: afterThisFile });
  });

  test('shows the head without credentials, and the content as JSON, text, digits and a file', async () => {
    const content = '{"n":12345678901234567890,"n":1.0,"t":"ä"}';
    const id = await deliver(receiver, content, {
      'content-type': 'application/json',
      'x-arbitrary': 'a value',
    });
    const { page } = await visit(receiver);
    await open(page, id);

    const detail = page.getByRole('region', { name: `Delivery ${id}` });
    await detail.getByText(/\d header fields/).click();
    await detail.getByRole('row', { name: 'x-arbitrary a value' }).waitFor();
    expect(await detail.textContent()).not.toContain(ACCESS_TOKEN);
    await detail.getByRole('definition').getByText('application/json').waitFor();
    await detail
      .getByRole('definition')
      .getByText(`${Buffer.byteLength(content)} B`)
      .waitFor();

    const region = page.getByRole('region', { name: 'Content' });
    await region.getByText('12345678901234567890').waitFor();
    expect(await region.innerText()).toBe('{\n"n": 12345678901234567890,\n"n": 1.0,\n"t": "ä"\n}');
    await region.getByText('{').click();
    await region.getByText('12345678901234567890').waitFor({ state: 'hidden' });
    await page.getByRole('link', { name: 'Text' }).click();
    await region.getByText(content).waitFor();
    expect(await region.textContent()).toBe(content);
    await page.getByRole('button', { name: 'Copy', exact: true }).click();
    await page.getByText('Copied.').waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(content);
    await page.getByRole('link', { name: 'Hex' }).click();
    await region.getByText(/^0000 {2}7b 22 6e 22 3a /).waitFor();
    await page.getByRole('link', { name: 'Base64' }).click();
    await region.getByText(Buffer.from(content).toString('base64')).waitFor();

    const downloading = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Download' }).click();
    const download = await downloading;
    expect(download.suggestedFilename()).toBe(`delivery-${id}`);
    expect(readFileSync(await download.path(), 'utf8')).toBe(content);
  });

  test('folds and unfolds all of a JSON content', async () => {
    const id = await deliver(receiver, '{"a":{"b":{"c":{"d":{"e":1}}}}}');
    const { page } = await visit(receiver, `?delivery=${id}`);
    const deepest = page.getByRole('region', { name: 'Content' }).getByText('"e"');
    await page.getByRole('button', { name: 'Unfold all' }).click();
    await deepest.waitFor();
    await page.getByRole('button', { name: 'Fold all', exact: true }).click();
    await deepest.waitFor({ state: 'hidden' });
  });

  test('says why a content is shown in digits, and copies it whole, as base64', async () => {
    const content = Buffer.from([0x1f, 0x8b, 0x08, 0xff, 0xfe]);
    const id = await deliver(receiver, content);
    const { page } = await visit(receiver, `?delivery=${id}`);
    await page.getByText('it begins like gzip.').waitFor();
    const region = page.getByRole('region', { name: 'Content' });
    expect(await region.textContent()).toMatch(/^0000 {2}1f 8b 08 ff fe /);
    await page.getByRole('button', { name: 'Copy base64' }).click();
    await page.getByText('Copied in base64.').waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(content.toString('base64'));
  });

  test('goes back to the list from the delivery that keys have led to, and selects a range with Shift', async () => {
    const receiver = await startInspected();
    await sendAll(receiver, ['arbitrary', 'throw nothing', 'throw nothing', 'throw nothing']);
    const { page } = await visit(receiver);
    await row(page, 4).getByText('parked').waitFor();
    await open(page, 4);
    for (const id of [3, 2]) {
      await page.keyboard.press('j');
      await page.getByRole('heading', { name: `Delivery ${id}` }).waitFor();
    }
    await page.goBack();
    await page.locator('.detail').waitFor({ state: 'detached' });

    await page.getByRole('checkbox', { name: 'Select delivery 4' }).click();
    await page.getByRole('checkbox', { name: 'Select delivery 2' }).click({ modifiers: ['Shift'] });
    await page.getByRole('button', { name: 'Replay 3…' }).waitFor();

    await page.getByText('Time', { exact: true }).click();
    await page.getByLabel('To', { exact: true }).fill('2026-01-31T10:00:00');
    await page.getByRole('button', { name: 'Show', exact: true }).click();
    await page.getByText('No deliveries received before 2026-01-31 10:00:00').waitFor();
    // The address says the same to everybody, and the menu hides no row.
    expect(new URL(page.url()).searchParams.get('receivedBefore')).toMatch(/Z$/);
    await page.locator('.menu[open]').waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'all 0' }).waitFor();
    await page.getByRole('link', { name: 'parked 0' }).waitFor();
  });

  test('runs nothing of what was sent, and shows all of it as text', async () => {
    const HANDLER = join(makeFolder(), 'handler.mjs');
    writeFileSync(HANDLER, 'export default ({ content }) => { throw new Error(String(content)); };');
    const receiver = await startInspected({ settings: { HANDLER } });
    for (const content of HOSTILE) {
      const field = content.replace(/[^ -~]/g, '');
      await deliver(receiver, content, { 'x-hostile': field, 'content-type': `text/html; a="${field}"` });
    }
    await untilNothingWaits(receiver.inbox);
    const group = encodeURIComponent(`Error: ${HOSTILE[1]!}`);
    const { page } = await visit(receiver);
    for (const place of ['', '?view=errors', `?errorGroup=${group}&ask=discard`, '?text=onerror'])
      expect([place, await foreignIn(page, receiver, place)]).toEqual([place, []]);

    for (const [index, content] of HOSTILE.entries()) {
      expect([content, await foreignIn(page, receiver, `?delivery=${index + 1}&form=text`)]).toEqual([
        content,
        [],
      ]);
      const seen = content.replace(/[^ -~]/g, (unseen) => `\\u{${unseen.codePointAt(0)!.toString(16)}}`);
      expect(await page.getByRole('region', { name: 'Content' }).textContent()).toBe(seen);
      expect(await page.locator('.detail table').textContent()).toContain(
        `x-hostile${content.replace(/[^ -~]/g, '')}`,
      );
    }
  }, 180_000);

  test('discards a parked delivery for a reason, and keeps the reason', async () => {
    const id = await deliver(receiver, 'throw nothing');
    const { page } = await visit(receiver, `?delivery=${id}`);
    await stateOf(page).getByText('parked').waitFor();
    await page.getByRole('button', { name: 'Discard…', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: `Discard delivery ${id}?` });
    await dialog.getByRole('button', { name: 'Discard' }).click();
    expect(await stateOf(page).textContent()).toBe('parked');

    await dialog.getByRole('textbox', { name: 'Reason' }).fill('sent by mistake');
    await dialog.getByRole('button', { name: 'Discard' }).click();

    await stateOf(page).getByText('discarded').waitFor();
    await timeline(page).getByText('discarded: sent by mistake').waitFor();
    await page.getByText('The header fields and the content were deleted when').waitFor();
    await page.reload();
    await timeline(page).getByText('discarded: sent by mistake').waitFor();
    expect(await page.getByRole('link', { name: 'Download' }).count()).toBe(0);
  });

  test('pauses and resumes the handler', async () => {
    const { page } = await visit(receiver);
    const banner = page.getByText('The handler is paused', { exact: true });
    await page.getByRole('button', { name: 'Pause the handler' }).click();
    const dialog = page.getByRole('dialog', { name: 'Pause the handler?' });
    await dialog.getByRole('textbox', { name: 'Your name' }).fill('ada@example');
    await dialog.getByRole('textbox', { name: 'Reason' }).fill('the database moves');
    await page.keyboard.press('Enter');
    await banner.waitFor();
    const id = await deliver(receiver, 'arbitrary');
    await row(page, id).getByText('waiting').waitFor();
    await page.reload();
    await banner.waitFor();

    await page.getByRole('button', { name: 'Resume the handler' }).click();
    await page.getByRole('dialog', { name: 'Resume the handler?' }).waitFor();
    await page.keyboard.press('Enter');

    await row(page, id).getByText('handled').waitFor();
    await banner.waitFor({ state: 'hidden' });
    await page.getByRole('link', { name: 'Acts' }).click();
    await page.getByRole('row', { name: /pause of the handler.*ada@example.*the database moves/ }).waitFor();
    await page.getByRole('row', { name: /resume of the handler.*ada@example/ }).waitFor();
  });

  test('needs one response to show, with its script and its style', async () => {
    const { page, requests } = await visit(receiver);
    await page.getByText(/on disk/).waitFor();

    expect([...new Set(requests)].sort()).toEqual([
      'GET /',
      'GET /inspector.css',
      'GET /inspector.js',
      'GET /inspector.svg',
    ]);
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

  test('chooses deliveries by time, finds them by a text, and opens one by its id', async () => {
    const known = await deliver(receiver, 'arbitrary Bäume', { 'x-request-id': 'r-7' });
    const { page } = await visit(receiver, '?receivedBefore=2001-01-01');
    await page.getByText(/^No deliveries received before 200/).waitFor();
    await page.getByRole('link', { name: /^Remove: before/ }).click();
    await row(page, known).waitFor();
    await page.getByText('Time', { exact: true }).click();
    await page.getByRole('link', { name: 'Last hour' }).click();
    await page.waitForURL(/receivedFrom=/);
    await row(page, known).waitFor();

    const search = page.getByRole('searchbox', { name: 'Search' });
    for (const text of ['Bäume', 'r-7']) {
      await page.keyboard.press('/');
      await search.fill(text);
      await page.keyboard.press('Enter');
      await page.getByText(`exactly “${text}”`).waitFor();
      await page.locator('#rows tr').nth(1).waitFor({ state: 'detached' });
      expect(await idsOn(page)).toEqual([known]);
      await page.locator('h2').first().focus();
    }
    await search.fill('1000000');
    await search.press('Enter');
    await page.getByText(/^No deliveries that contain “1000000”/).waitFor();
    await page.getByRole('link', { name: 'Open delivery 1000000' }).click();
    await page.getByText(/^There is no delivery 1000000/).waitFor();
  });

  test('goes on with a search, and shows what it has found', async () => {
    const receiver = await startInspected();
    await sendAll(
      receiver,
      Array.from({ length: 60 }, (_, index) => `fail once: a content with a needle ${index} in it`),
    );
    await untilNothingWaits(receiver.inbox);
    const { page } = await visit(receiver, '?text=needle');
    await row(page, 60).locator('mark').getByText('needle').waitFor();
    await row(page, 60).getByText('failed on purpose').waitFor();
    expect(await page.locator('#rows mark').count()).toBe(50);
    await page.getByRole('link', { name: 'Search older' }).click();
    await row(page, 10).waitFor();
    expect(await idsOn(page)).toHaveLength(10);
  });

  test('does not move what somebody points at, and says how many are new', async () => {
    const receiver = await startInspected();
    const id = await deliver(receiver, 'arbitrary');
    const { page } = await visit(receiver);
    await row(page, id).getByText('handled').waitFor();
    await row(page, id).hover();
    const before = await row(page, id).boundingBox();
    await deliver(receiver, 'arbitrary');
    await deliver(receiver, 'throw an error');

    const link = page.getByRole('link', { name: 'Show 2 new' });
    await link.waitFor();
    await page.getByRole('link', { name: 'parked 1' }).first().waitFor();
    expect((await idsOn(page))[0]).toBe(id);
    expect(await row(page, id).boundingBox()).toEqual(before);
    await link.click();
    await row(page, id + 2).waitFor();
    await link.waitFor({ state: 'hidden' });
    await page.mouse.move(0, 0);
    await page.getByRole('region', { name: 'What fails' }).waitFor();
  });

  test('shows what is new beside what is selected', async () => {
    const receiver = await startInspected();
    const id = await deliver(receiver, 'arbitrary');
    const { page } = await visit(receiver);
    const box = page.getByRole('checkbox', { name: `Select delivery ${id}` });
    await box.check();
    const newer = await deliver(receiver, 'arbitrary');
    await page.getByRole('link', { name: 'Show 1 new' }).click();
    await row(page, newer).waitFor();
    expect(await box.isChecked()).toBe(true);
  });

  test('shows what is new beside the delivery that is open', async () => {
    const id = await deliver(receiver, 'arbitrary');
    const { page } = await visit(receiver, `?delivery=${id}`);
    await row(page, id).waitFor();
    const newer = await deliver(receiver, 'arbitrary');

    await page.getByRole('link', { name: 'Show 1 new' }).click();

    await row(page, newer).waitFor();
    await page
      .getByRole('heading', { name: `Delivery ${id}` })
      .and(page.locator(':focus'))
      .waitFor();
  });

  test('replays a selection, and says how many', async () => {
    const receiver = await startInspected();
    await sendAll(
      receiver,
      Array.from({ length: 600 }, () => 'fail once'),
    );
    const { page, requests } = await visit(receiver, '?state=parked');
    await page.getByRole('link', { name: 'parked 600' }).waitFor();
    await page.getByRole('button', { name: 'Replay these 600…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Replay 600 parked deliveries?' });
    await dialog.getByRole('button', { name: 'Replay 600' }).click();

    await page.getByText(/^600 deliveries were replayed:/).waitFor();
    await page.mouse.move(0, 0);
    await page.getByRole('link', { name: 'handled 600' }).waitFor();
    await page.getByText('No parked deliveries.').waitFor();
    expect(requests.filter((sent) => sent === 'POST /')).toHaveLength(1);
  });

  test('groups what fails by its error, shows a group, and replays all of it but what was handled', async () => {
    const folder = makeFolder();
    const first = await startInspected({ folder });
    await sendAll(first, ['arbitrary', 'arbitrary', 'fail once', 'throw an error']);
    await untilNothingWaits(first.inbox);
    await first.process.stop();
    const settings = {
      HANDLER_MAX_ATTEMPTS: '2',
      HANDLER_BACKOFF_MS: '600000',
      RECEIVER_NAME: 'greenhouse',
    };
    const receiver = await startInspected({ folder, settings });
    const id = await deliver(receiver, 'fail once');
    const { page, requests } = await visit(receiver);
    await row(page, id).getByText('retrying').waitFor();
    await row(page, id)
      .getByText(/^at \d/)
      .waitFor();
    await page.getByRole('link', { name: '2 parked' }).waitFor();
    await page.getByRole('link', { name: /^1 retrying, next at \d/ }).waitFor();
    expect(await page.title()).toBe('▲ 2 parked, 1 retrying · Deliveries · greenhouse · Inspector');
    const group = page.getByRole('region', { name: 'What fails' }).getByRole('listitem').first();
    expect(await group.textContent()).toContain('failed on purpose');
    await group.getByRole('link').click();
    await row(page, 1).waitFor({ state: 'detached' });
    expect(await idsOn(page)).toEqual([id, 3]);
    await page.getByRole('button', { name: 'Replay these 2…' }).click();
    const dialog = page.getByRole('dialog', {
      name: /^Replay 1 retrying and 1 parked deliveries that failed with “/,
    });
    await dialog.getByText('Handled ones are left out').waitFor();
    await dialog.getByRole('link', { name: 'Cancel' }).and(page.locator(':focus')).waitFor();
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'hidden' });
    expect(requests.filter((sent) => sent.startsWith('POST'))).toEqual([]);

    await page.getByRole('button', { name: 'Discard these 2…' }).click();
    const discarding = page.getByRole('dialog', { name: /^Discard 1 parked delivery that failed with “/ });
    await discarding.getByRole('link', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Replay these 2…' }).click();
    await dialog.getByRole('button', { name: 'Replay 2' }).click();
    await page
      .getByText('2 deliveries were replayed: handled 1, failed 1 (1 comes again), waiting 0')
      .waitFor();
    await page.getByRole('link', { name: /^Remove: error/ }).click();
    await page.getByRole('link', { name: 'handled 3' }).click();
    await page.getByRole('button', { name: 'Replay these 3…' }).click();
    await page
      .getByRole('dialog', { name: 'Replay 3 handled deliveries?' })
      .getByText('What it has handled, it handles again.')
      .waitFor();
  });

  test('replays and discards what is selected, and says what is left out', async () => {
    const receiver = await startInspected();
    await sendAll(receiver, ['fail once', 'throw nothing', 'throw nothing', 'arbitrary']);
    const { page } = await visit(receiver);
    await page.getByRole('link', { name: 'parked 3' }).waitFor();
    await row(page, 1).getByText('parked').waitFor();
    for (const id of [2, 4]) await page.getByRole('checkbox', { name: `Select delivery ${id}` }).check();
    await page.getByRole('button', { name: 'Discard 2…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Discard 1 selected delivery (parked)?' });
    await dialog.getByText('1 delivery of these cannot be discarded.').waitFor();
    await dialog.getByRole('textbox', { name: 'Reason' }).fill('arbitrary');
    await dialog.getByRole('button', { name: 'Discard' }).click();
    await page.getByText(/^1 delivery was discarded\./).waitFor();
    await row(page, 2).getByText('discarded').waitFor();
    for (const id of [2, 4]) await page.getByRole('checkbox', { name: `Select delivery ${id}` }).uncheck();

    await page.getByRole('link', { name: '1', exact: true }).focus();
    await page.keyboard.press('x');
    await page.keyboard.press('k');
    await page.keyboard.press('k');
    await page.keyboard.press('x');
    await page.keyboard.press('r');
    await page
      .getByRole('dialog', { name: 'Replay 2 selected deliveries (parked)?' })
      .getByRole('button', { name: 'Replay 2' })
      .click();
    await page.getByText(/^2 deliveries were replayed:/).waitFor();
    await row(page, 1).getByText('handled').waitFor();
    await row(page, 3).getByText('parked').waitFor();
  });

  test('tells what happened to a delivery: attempts with their stack, and a replay', async () => {
    const settings = { HANDLER_MAX_ATTEMPTS: '2', HANDLER_BACKOFF_MS: '1' };
    const receiver = await startInspected({ settings });
    const id = await deliver(receiver, 'throw an error');
    const { page } = await visit(receiver, `?delivery=${id}`);
    await stateOf(page).getByText('parked').waitFor();
    await timeline(page).getByText('parked after 2 attempts').waitFor();
    await timeline(page).getByText('attempts 1 to 2, the same error').waitFor();
    await page.getByRole('region', { name: 'Stack of attempt 2' }).getByText('poison-handler').waitFor();

    await page.getByRole('button', { name: 'Replay…', exact: true }).click();
    await page.getByRole('dialog').getByRole('textbox', { name: 'Your name' }).fill('ada@example');
    await page.keyboard.press('Enter');

    await timeline(page).getByText('replay of 1 delivery by ada@example').waitFor();
    await timeline(page).getByText('attempts 1 to 2, the same error').nth(1).waitFor();
    await stateOf(page).getByText('parked').waitFor();
    await page.getByRole('link', { name: 'Acts' }).click();
    await page
      .getByRole('row', { name: /replay of 1 delivery/ })
      .getByText('handled 0, failed 1, waiting 0')
      .waitFor();
  });

  test('keeps the order of words around what is written from right to left', async () => {
    const receiver = await startInspected();
    const [plant, shop] = ['گیاه', 'فروشگاه'];
    const id = await deliver(receiver, `{"${plant}":"${shop}"}`);
    const { page } = await visit(receiver, `?delivery=${id}`);
    await stateOf(page).getByText('handled').waitFor();
    const filter = { ids: [id], state: 'handled' };
    await post(receiver, 'acts', { kind: 'replay', filter, operator: plant, reason: `500 ${shop}` });
    await timeline(page).getByText('replay of 1 delivery').waitFor();

    /** Where words begin that an element shows, from left to right. */
    const leftsOf = (element: Locator, words: readonly string[]): Promise<number[]> =>
      element.evaluate((root, words) => {
        const texts = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
        const lefts = new Map<string, number>();
        for (let text = texts.nextNode(); text !== null; text = texts.nextNode())
          for (const word of words) {
            const start = text.textContent!.indexOf(word);
            if (start === -1 || lefts.has(word)) continue;
            const range = document.createRange();
            range.setStart(text, start);
            range.setEnd(text, start + word.length);
            lefts.set(word, range.getBoundingClientRect().left);
          }
        return words.map((word) => lefts.get(word)!);
      }, words);
    const sorted = (lefts: readonly number[]): number[] => lefts.toSorted((one, other) => one - other);
    const ofAct = await leftsOf(timeline(page), ['by ', plant, shop, '500']);
    const ofContent = await leftsOf(page.getByRole('region', { name: 'Content' }), [plant, shop]);
    expect([ofAct, ofContent]).toEqual([sorted(ofAct), sorted(ofContent)]);
  });

  test('copies a command that sends a delivery again, without the token', async () => {
    const id = await deliver(receiver, "it's arbitrary", { 'x-any': 'a' });
    const { page } = await visit(receiver, `?delivery=${id}`);
    await page.getByText('Send it again with curl').click();
    await page.getByRole('button', { name: 'Copy curl' }).click();
    await page.getByText('Copied.').waitFor();
    const command = await page.evaluate(() => navigator.clipboard.readText());
    expect(command).not.toContain(ACCESS_TOKEN);

    execFileSync('sh', ['-c', command], { env: { ...process.env, ACCESS_TOKEN }, stdio: 'pipe' });

    await page.goto(`${receiver.inspector}?delivery=${id + 1}`);
    const content = page.getByRole('region', { name: 'Content' });
    await content.getByText("it's arbitrary").waitFor();
    await page
      .locator('.detail')
      .getByText(/\d header fields/)
      .click();
    await page.getByRole('row', { name: 'x-any a' }).waitFor();
  });

  test('says why requests were refused', async () => {
    const receiver = await startInspected();
    await fetch(new URL(facts.DELIVERY_PATH, receiver.origin), {
      method: 'POST',
      headers: { authorization: 'Bearer not-of-this-receiver' },
      body: 'arbitrary',
    });
    const { page } = await visit(receiver);
    await page.getByRole('link', { name: 'Refused 1' }).click();
    await page.getByRole('row', { name: /1 401 token-invalid .*ACCESS_TOKENS/ }).waitFor();
    await page.getByText('The last one').click();
    await page.getByText(/401 token-invalid from 127\.0\.0\.1/).waitFor();
    expect(await page.locator('body').textContent()).not.toContain('not-of-this-receiver');
  });

  test('says how to send a delivery as long as there is none', async () => {
    const receiver = await startInspected();
    const { page } = await visit(receiver);
    const command = page.getByRole('region', { name: 'Command' });
    await command.getByText(new URL(facts.DELIVERY_PATH, receiver.origin).href).waitFor();
    execFileSync('sh', ['-c', (await command.textContent())!], {
      env: { ...process.env, ACCESS_TOKEN },
      stdio: 'pipe',
    });
    await row(page, 1).getByText('handled').waitFor();
    await command.waitFor({ state: 'detached' });
  });

  test('shows the start of a long content as JSON that folds', async () => {
    const plants = Array.from({ length: 9_000 }, (_, number) => ({ number, text: 'a'.repeat(80) }));
    const id = await deliver(receiver, JSON.stringify(plants));
    const { page } = await visit(receiver, `?delivery=${id}`);
    const region = page.getByRole('region', { name: 'Content' });
    await page.getByText('This is the start.').waitFor();
    expect(await region.getByText('"number"').count()).toBe(333);
  });

  test('says how many it discards, and Enter discards nothing without a reason', async () => {
    const receiver = await startInspected();
    await sendAll(receiver, ['arbitrary', 'throw nothing', 'throw nothing']);
    const { page, requests } = await visit(receiver, '?state=parked');
    await page.getByRole('link', { name: 'parked 2' }).waitFor();
    await page.getByRole('button', { name: 'Discard these 2…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Discard 2 parked deliveries?' });
    await dialog.getByText("This can't be undone.").waitFor();
    const colours = await dialog.getByRole('button', { name: 'Discard 2' }).evaluate((button) => {
      const { color, backgroundColor } = getComputedStyle(button);
      return [color, backgroundColor];
    });
    expect(new Set(colours).size).toBe(2);
    await dialog.getByRole('link', { name: 'Cancel' }).and(page.locator(':focus')).waitFor();

    const reason = dialog.getByRole('textbox', { name: 'Reason' });
    await reason.press('Enter');
    expect(requests.filter((sent) => sent.startsWith('POST'))).toEqual([]);
    await reason.fill('sent by mistake');
    await page.keyboard.press('Enter');

    await page.getByText(/^2 deliveries were discarded\./).waitFor();
    await page.getByRole('link', { name: 'discarded 2' }).waitFor();
  });

  test('replays a delivery once for a double click', async () => {
    const id = await deliver(receiver, 'fail once');
    const { page, requests } = await visit(receiver, `?delivery=${id}`);
    await stateOf(page).getByText('parked').waitFor();

    await timeline(page).getByText('Error: failed on purpose', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Replay…', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Replay' }).dblclick();

    await stateOf(page).getByText('handled').waitFor();
    await page.getByText(/^1 delivery was replayed:/).waitFor();
    expect(requests.filter((sent) => sent === 'POST /')).toHaveLength(1);
  });

  test('replays nothing that was handled since it was shown', async () => {
    const id = await deliver(receiver, 'fail once');
    const { page } = await visit(receiver, `?delivery=${id}`);
    await page.getByRole('button', { name: 'Replay…', exact: true }).click();
    const confirm = page.getByRole('dialog').getByRole('button', { name: 'Replay' });
    await confirm.waitFor();
    const { page: other } = await visit(receiver, `?delivery=${id}`);
    await other.getByRole('button', { name: 'Replay…', exact: true }).click();
    await other.getByRole('dialog').getByRole('button', { name: 'Replay' }).click();
    await stateOf(other).getByText('handled').waitFor();

    await confirm.click();

    await page.getByText(/^No delivery was replayed\./).waitFor();
  });

  test('says that the receiver does not respond, and goes on when it does', async () => {
    const folder = makeFolder();
    const settings = { OPERATIONS_PORT: String(await freePort()) };
    const first = await startInspected({ folder, settings });
    await deliver(first, 'arbitrary');
    const { page, tolerate } = await visit(first);
    // The browser says so, too.
    tolerate(/net::ERR_|503/);
    await row(page, 1).waitFor();
    const banner = page.getByText(/receiver has not responded since/);
    await first.process.kill();
    await banner.waitFor();

    const second = await startInspected({ folder, settings });
    await deliver(second, 'arbitrary');

    await row(page, 2).waitFor();
    await banner.waitFor({ state: 'hidden' });
  });

  test('shows another inbox whole whose ids are the same', async () => {
    const folder = makeFolder();
    const settings = { OPERATIONS_PORT: String(await freePort()) };
    const other = await startInspected({ folder });
    await deliver(other, 'of the second');
    await other.process.kill();
    const first = await startInspected({ settings });
    await deliver(first, 'of the first');
    const { page, tolerate } = await visit(first, '?delivery=1');
    // The browser says so, too.
    tolerate(/net::ERR_|503/);
    const region = page.getByRole('region', { name: 'Content' });
    await region.getByText('of the first').waitFor();
    const time = row(page, 1).locator('time');
    const before = await time.getAttribute('datetime');
    await first.process.kill();
    await page.getByText(/receiver has not responded since/).waitFor();

    await startInspected({ folder, settings });

    await region.getByText('of the second').waitFor({ timeout: 10_000 });
    expect(await time.getAttribute('datetime')).not.toBe(before);
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
    await focused('link', 'Cancel');
    await page.keyboard.press('Shift+Tab');
    await focused('textbox', 'Reason, kept with the delivery');
    await page.keyboard.type('by keyboard');
    await page.keyboard.press('Enter');
    await timeline(page).getByText('discarded: by keyboard').waitFor();
    await page.locator('#done:focus').getByText('1 delivery was discarded.').waitFor();
    await page.keyboard.press('Escape');
    await focused('link', String(id));
  });

  test('has links to the page of the interface and to openapi.json, and from there back', async () => {
    const { page, tolerate } = await visit(receiver);
    // The browser asks for an icon of that page, and its policy refuses it.
    tolerate(/favicon/);
    await page.getByRole('link', { name: 'Interface' }).click();
    await page.waitForURL(`${receiver.inspector}api`);
    await page.getByRole('link', { name: 'Inspector' }).click();
    await page.waitForURL(receiver.inspector);
    await page.getByRole('link', { name: 'openapi.json' }).click();
    await page.waitForURL(`${receiver.inspector}openapi.json`);
  });
});
