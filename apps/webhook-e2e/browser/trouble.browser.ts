/** The inspector where something is in its way: a receiver that stands still, a translation, no cookies, no script. */
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Writable } from 'node:stream';

import { afterThisFile, afterThisTest } from '@plant-store/test-support';
import type { Page } from 'playwright-core';

import { sendAll, untilNothingWaits } from '../support/poison.js';
import {
  deliver,
  describeWithBrowser,
  DESKTOP,
  type InspectedReceiver,
  PHONE,
  post,
  startInspected,
  visit,
} from './visit.js';

/** Waits until the page has asked again. */
async function untilShownAgain(page: Page): Promise<void> {
  const shown = page.locator('#shown time');
  const before = await shown.getAttribute('datetime');
  await page.waitForFunction(
    (before) => document.querySelector('#shown time')?.getAttribute('datetime') !== before,
    before,
  );
}

/** A page for another server than the receiver, and the address of that server. */
async function visitorOf(
  receiver: InspectedReceiver,
  listener: RequestListener,
): Promise<{ readonly page: Page; readonly url: string }> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  afterThisTest(() => server.close());
  const { page: own } = await visit(receiver);
  const context = await own.context().browser()!.newContext();
  afterThisTest(() => context.close());
  const { port } = server.address() as AddressInfo;
  return { page: await context.newPage(), url: `http://127.0.0.1:${port}/` };
}

describeWithBrowser('the inspector', () => {
  let receiver: InspectedReceiver;

  beforeAll(async () => {
    receiver = await startInspected({ cleanUp: afterThisFile });
    await sendAll(receiver, ['sample content 1', 'sample content 2', 'arbitrary']);
    await untilNothingWaits(receiver.inbox);
  });

  test('says since when a receiver stands still, offers no act meanwhile, and goes on with it', async () => {
    const { page } = await visit(receiver, '?delivery=1');
    const replay = page.locator('.detail').getByRole('button', { name: 'Replay…' });
    await replay.waitFor();

    receiver.process.signal('SIGSTOP');
    try {
      await page.getByText(/^Not up to date: the receiver has not responded since \d\d:\d\d:\d\d/).waitFor();
      expect(await replay.isDisabled()).toBe(true);
      expect(await page.getByRole('button', { name: 'Pause the handler' }).isDisabled()).toBe(true);
    } finally {
      receiver.process.signal('SIGCONT');
    }

    await page.getByText(/^Not up to date/).waitFor({ state: 'detached' });
    expect(await replay.isDisabled()).toBe(false);
  });

  test('is shown whole, also when half of it comes later', async () => {
    const html = await (await fetch(receiver.inspector)).text();
    const half = html.indexOf('</nav>');
    let sendRest = (): void => undefined;
    const { page, url } = await visitorOf(receiver, ({ url }, response) => {
      const path = url!.slice(1);
      if (path === '') {
        response.setHeader('content-type', 'text/html; charset=utf-8').write(html.slice(0, half));
        sendRest = () => response.end(html.slice(half));
      } else
        void fetch(receiver.inspector + path).then(async ({ headers, body }) => {
          response.setHeader('content-type', headers.get('content-type')!);
          await body!.pipeTo(Writable.toWeb(response));
        });
    });

    await page.goto(url, { waitUntil: 'commit' });
    await page.waitForFunction(
      () => document.querySelector('header h1') !== null && document.styleSheets.length > 0,
      undefined,
      { polling: 50 },
    );
    sendRest();
    await page.locator('#rows tr').first().waitFor();

    const paintedAt = await page.evaluate(
      () =>
        new Promise<number>((resolve) => {
          new PerformanceObserver((list) => resolve(list.getEntries()[0]!.startTime)).observe({
            type: 'paint',
            buffered: true,
          });
        }),
    );
    const wholeAt = await page.evaluate(() => {
      const [navigation] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[];
      return navigation!.responseEnd;
    });
    expect(paintedAt).toBeGreaterThanOrEqual(wholeAt);
  });

  test('goes on although a translation has replaced its texts, and asks for none', async () => {
    const { page } = await visit(receiver);
    await page.locator('#rows tr').first().waitFor();
    await page.evaluate(() => {
      const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
      const all: Text[] = [];
      for (let text = texts.nextNode(); text !== null; text = texts.nextNode()) all.push(text as Text);
      for (const text of all) {
        const font = document.createElementNS('http://www.w3.org/1999/xhtml', 'font');
        text.replaceWith(font);
        font.append(text);
      }
    });
    await untilShownAgain(page);
    const id = await deliver(receiver, 'arbitrary');

    await page.locator(`#row-${id}`).getByText('handled').waitFor();
    expect(await page.locator('font').count()).toBe(0);
    expect(await page.getAttribute('html', 'translate')).toBe('no');
  });

  test('keeps the question of an act that fails, and where it was asked', async () => {
    const id = await deliver(receiver, 'fail once');
    const { page, tolerate } = await visit(receiver, `?ids=${id}`);
    // The browser says so, too.
    tolerate(/net::ERR_/);
    await page.route('**', (route) =>
      route.request().method() === 'POST' ? route.abort() : route.continue(),
    );
    await page.getByRole('button', { name: 'Replay these 1…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Replay' }).click();
    await dialog.getByText("does not respond. The page doesn't know whether it was done").waitFor();
    await untilShownAgain(page);
    await dialog.getByText("doesn't know whether").waitFor();
    expect(await page.locator('#rows tr').count()).toBe(1);

    await page.unroute('**');
    await dialog.getByRole('button', { name: 'Replay' }).click();

    await page.getByText(/^1 delivery was replayed:/).waitFor();
    await page.goBack();
    await page.getByText(/^1 delivery was replayed:/).waitFor({ state: 'detached' });
    expect([page.url(), await dialog.count()]).toEqual([`${receiver.inspector}?ids=${id}`, 0]);
  });

  test('takes no page of a proxy for its own', async () => {
    const { page } = await visit(receiver);
    await page.locator('#row-1').waitFor();
    await page.route('**', (route) => route.fulfill({ contentType: 'text/html', body: '<p>Sign in</p>' }));
    await page.getByText(/receiver has not responded since/).waitFor();
    await page.locator('#row-1').waitFor();
  });

  test('asks and acts by an error of several lines', async () => {
    const id = await deliver(receiver, 'throw lines');
    const { page } = await visit(receiver);
    await page.locator(`#row-${id}`).getByText('parked').waitFor();
    await page.getByRole('link', { name: /two lines/ }).click();
    await page.getByRole('button', { name: 'Replay these 1…' }).click();
    await page.getByRole('dialog', { name: /^Replay 1 parked delivery that failed with/ }).waitFor();
  });

  test('acts where a page may keep nothing', async () => {
    const id = await deliver(receiver, 'fail once');
    const { page } = await visit(receiver, '?view=keys');
    await page.addInitScript(() => {
      const refuse = (): never => {
        throw new DOMException('denied', 'SecurityError');
      };
      Object.defineProperty(document, 'cookie', { get: refuse, set: refuse });
      Object.defineProperty(window, 'localStorage', { get: refuse });
    });
    await page.goto(`${receiver.inspector}?delivery=${id}`);
    await page.getByText('Times are in UTC').waitFor();
    await page.locator('.detail').getByRole('button', { name: 'Replay…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Replay' }).click();
    await page.getByText(/^1 delivery was replayed: handled 1/).waitFor();
    await page.getByRole('button', { name: 'Pause the handler' }).click();
    await page
      .getByRole('dialog', { name: 'Pause the handler?' })
      .getByRole('link', { name: 'Cancel' })
      .click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  });

  test('does nothing for a page of another origin, and appears in none', async () => {
    const receiver = await startInspected();
    await deliver(receiver, 'sample content');
    await untilNothingWaits(receiver.inbox);
    const { inspector } = receiver;
    const field = (name: string, value: string): string => `<input name="${name}" value='${value}'>`;
    const formOf = (kind: string): string =>
      `<form id="${kind}" method="post" action="${inspector}" target="inside">
      ${field('kind', kind)}${field('filter', '{"state":"parked"}')}${field('reason', 'arbitrary')}</form>`;
    const html = `<!doctype html><iframe name="inside"></iframe><iframe src="${inspector}"></iframe>
      <img src="${inspector}">${formOf('discard')}${formOf('pause')}`;
    const { page, url } = await visitorOf(receiver, (_request, response) => {
      response.setHeader('content-type', 'text/html').end(html);
    });

    // Another port is another origin.
    await page.goto(url);
    for (const kind of ['discard', 'pause']) {
      const [response] = await Promise.all([
        page.waitForResponse((one) => one.request().method() === 'POST'),
        page.evaluate((id) => (document.getElementById(id) as HTMLFormElement).submit(), kind),
      ]);
      expect([kind, response.status()]).toEqual([kind, 403]);
    }
    const isRead = await page.evaluate((inspector) => {
      const body = new URLSearchParams({ kind: 'pause' });
      const sent = fetch(inspector, { method: 'POST', mode: 'no-cors', body });
      return sent.then(
        () => true,
        () => false,
      );
    }, inspector);
    expect(isRead).toBe(false);
    for (const frame of page.frames()) expect(await frame.locator('#rows').count()).toBe(0);
    const response = await fetch(`${inspector}acts`);
    expect(await response.json()).toEqual({ acts: [] });
  });

  test('shows and acts without a script', async () => {
    const receiver = await startInspected();
    await sendAll(receiver, ['sample content 1', 'sample content 2', 'sample content 3']);
    await untilNothingWaits(receiver.inbox);
    const { page } = await visit(receiver, '?state=parked', { ...DESKTOP, javaScriptEnabled: false });
    for (const id of [1, 3]) await page.getByRole('checkbox', { name: `Select delivery ${id}` }).check();
    await page.getByRole('button', { name: /^Discard/ }).click();
    const dialog = page.getByRole('dialog', { name: 'Discard 2 selected deliveries (parked)?' });
    await dialog.getByRole('textbox', { name: 'Reason' }).fill('sent by mistake');
    await dialog.getByRole('button', { name: 'Discard 2' }).click();
    await page.getByText('2 deliveries were discarded.').waitFor();
    await page.getByRole('link', { name: 'all 3' }).click();
    await page.getByRole('link', { name: '1', exact: true }).click();
    await page.getByText('discarded: sent by mistake').waitFor();
  });

  test('is new in the seventh window, too', async () => {
    const { page } = await visit(receiver);
    const others = await Promise.all(Array.from({ length: 6 }, () => page.context().newPage()));
    for (const other of others) await other.goto(receiver.inspector);
    const id = await deliver(receiver, 'arbitrary');
    for (const each of [page, ...others]) await each.locator(`#row-${id}`).getByText('handled').waitFor();
  });

  test('asks nothing while nobody looks', async () => {
    const { page, requests } = await visit(receiver, '?view=keys');
    await page.clock.install();
    await page.goto(receiver.inspector);
    await page.locator('#rows tr').first().waitFor();
    await page.evaluate(() => Object.defineProperty(document, 'hidden', { get: () => true }));
    const before = requests.length;
    await page.clock.runFor(60_000);
    expect(requests.slice(before)).toEqual([]);
  });

  test('shows by which content the failures of one error differ, and one pair of changes', async () => {
    const { page } = await visit(receiver, '?errorGroup=Error: connect ECONNREFUSED …');
    for (const id of [1, 2]) await page.locator(`#row-${id}`).getByText(`sample content ${id}`).waitFor();
    await page.getByRole('checkbox', { name: 'Select delivery 1' }).check();
    await page.getByRole('button', { name: 'Replay 1…' }).waitFor();
    expect(await page.getByRole('button', { name: /^(?:Replay|Discard)/ }).count()).toBe(2);
  });

  test('tells in red that a replay has failed', async () => {
    const receiver = await startInspected();
    const id = await deliver(receiver, 'sample content');
    await untilNothingWaits(receiver.inbox);
    await post(receiver, 'acts', { kind: 'replay', filter: { ids: [id] } });
    await untilNothingWaits(receiver.inbox);
    const { page } = await visit(receiver, '?view=acts');
    await page.locator('span.bad').getByText('handled 0, failed 1, waiting 0').waitFor();
    await page.getByRole('link', { name: /deliveries 1$/ }).click();
    await page.locator(`#row-${id}`).getByText('parked').waitFor();
  });

  test('has the count, the error and the content of a failure on the first screen of a phone', async () => {
    const receiver = await startInspected();
    const id = await deliver(receiver, '{"fate":"sample content"}');
    const failed = await deliver(receiver, 'sample content');
    await untilNothingWaits(receiver.inbox);
    const { page } = await visit(receiver, '', PHONE);
    const isOnScreen = async (text: string): Promise<void> => {
      const box = await page.getByText(text).filter({ visible: true }).first().boundingBox();
      expect([text, box!.y + box!.height <= PHONE.viewport.height]).toEqual([text, true]);
    };
    for (const text of ['1 parked', 'connect ECONNREFUSED', 'sample content']) await isOnScreen(text);
    const [pause, parked] = await Promise.all(
      ['button.quiet', 'a.pill'].map((selector) => page.locator(selector).boundingBox()),
    );
    expect(pause!.width).toBeLessThan(1.5 * parked!.width);
    await page.goto(`${receiver.inspector}?delivery=${failed}`);
    for (const text of ['1 parked', 'connect ECONNREFUSED', 'parked after 1 attempt']) await isOnScreen(text);
    await page.goto(`${receiver.inspector}?delivery=${id}`);
    const content = await page.getByRole('region', { name: 'Content' }).boundingBox();
    expect(content!.height).toBeLessThan(100);
  });

  test('needs at most 40 kB for its rows, its script and its style', async () => {
    const receiver = await startInspected();
    await sendAll(
      receiver,
      Array.from({ length: 60 }, (_, index) => `sample content ${index} ${'arbitrary '.repeat(20)}`),
    );
    await untilNothingWaits(receiver.inbox);
    const paths = ['', 'inspector.css', 'inspector.js'];
    const responses = await Promise.all(
      paths.map((path) => fetch(receiver.inspector + path, { headers: { 'accept-encoding': 'gzip' } })),
    );
    const bytes = responses.reduce((sum, { headers }) => sum + Number(headers.get('content-length')), 0);
    expect(await responses[0]!.text()).toContain('row-60');
    expect(bytes).toBeGreaterThan(20_000);
    expect(bytes).toBeLessThan(40_000);
  });
});
