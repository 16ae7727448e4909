import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { createRequire } from 'node:module';

import { facts } from '@plant-store/contract';
import { afterThisTest } from '@plant-store/test-support';
import { CHROMIUM_ARGUMENTS, findChromium } from '@plant-store/test-support/browser';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';

import { ACCESS_TOKEN } from '../support/messages.js';
import { poisonSettings } from '../support/poison.js';
import { type ReceiverOptions, type RunningReceiver, startReceiver } from '../support/receiver.js';

const executablePath = findChromium();

export const describeWithBrowser = executablePath === undefined ? describe.skip : describe;

export const PHONE = { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, hasTouch: true };
export const DESKTOP = { viewport: { width: 1280, height: 900 } };

let browser: Browser | undefined;

afterAll(() => browser?.close());

/** A receiver whose handler does what the content of a delivery says (support/poison-handler.mjs), and its inspector. */
export interface InspectedReceiver extends RunningReceiver {
  readonly inspector: string;
}

/** Starts a receiver that parks a delivery at its first failure. It ends after the test. */
export async function startInspected(options: ReceiverOptions = {}): Promise<InspectedReceiver> {
  const settings = { ...poisonSettings, HANDLER_MAX_ATTEMPTS: '1', ...options.settings };
  const receiver = await startReceiver({ ...options, settings });
  const { operations } = await receiver.process.logged('listening');
  return { ...receiver, inspector: operations as string };
}

/** An inspector in a browser. */
export interface Visit {
  readonly page: Page;
  /** Methods, paths and queries of the requests so far. */
  readonly requests: readonly string[];
  /** Says what may go wrong in the page. */
  readonly tolerate: (complaint: RegExp) => void;
}

/**
 * Opens the inspector. After the test it fails if the page has asked another address for anything, or if anything went
 * wrong in it.
 *
 * @param place the query of the address
 */
export async function visit(
  { inspector }: InspectedReceiver,
  place = '',
  options: BrowserContextOptions = DESKTOP,
): Promise<Visit> {
  browser ??= await chromium.launch({ executablePath: executablePath!, args: CHROMIUM_ARGUMENTS });
  const context = await browser.newContext({
    permissions: ['clipboard-read', 'clipboard-write'],
    ...options,
  });
  const requests: string[] = [];
  const elsewhere = new Set<string>();
  const complaints: string[] = [];
  const tolerated: RegExp[] = [];
  afterThisTest(async () => {
    await context.close();
    const faults = complaints.filter((text) => !tolerated.some((pattern) => pattern.test(text)));
    expect({ elsewhere: [...elsewhere], faults }).toEqual({ elsewhere: [], faults: [] });
  });
  context.on('request', (sent) => {
    if (!sent.url().startsWith(inspector)) elsewhere.add(sent.url());
    requests.push(`${sent.method()} ${sent.url().slice(inspector.length - 1)}`);
  });
  // What the policy of the page refuses isn't sent.
  context.on('requestfailed', (refused) => {
    if (refused.failure()?.errorText === 'csp') elsewhere.delete(refused.url());
  });
  const page = await context.newPage();
  page.on('console', (message) => complaints.push(`${message.text()} ${message.location().url}`));
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('dialog', (dialog) => complaints.push(dialog.message()));
  await page.goto(`${inspector}${place}`);
  return { page, requests, tolerate: (complaint) => tolerated.push(complaint) };
}

/**
 * Sends a delivery and waits until it is acknowledged.
 *
 * @returns its id
 */
export async function deliver(
  { origin, inspector }: InspectedReceiver,
  content: string | Buffer,
  fields: Readonly<Record<string, string>> = {},
): Promise<number> {
  const headers = { authorization: `Bearer ${ACCESS_TOKEN}`, ...fields };
  const status = await new Promise((resolve, reject) => {
    request(new URL(facts.DELIVERY_PATH, origin), { method: 'POST', headers, agent: false }, (response) => {
      response.resume().once('end', () => resolve(response.statusCode));
    })
      .on('error', reject)
      .end(content);
  });
  expect(status).toBe(204);
  const response = await fetch(`${inspector}deliveries?limit=1`);
  const { deliveries } = (await response.json()) as { deliveries: { id: number }[] };
  return deliveries[0]!.id;
}

/** Does what somebody else does meanwhile. */
export async function post(
  { inspector }: InspectedReceiver,
  path: string,
  content: object = {},
): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  const { ok } = await fetch(`${inspector}${path}`, {
    method: 'POST',
    headers,
    body: JSON.stringify(content),
  });
  expect(ok).toBe(true);
}

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface Found {
  readonly id: string;
  readonly nodes: readonly {
    readonly html: string;
    readonly failureSummary: string;
    readonly any: readonly { readonly data: { readonly messageKey?: string } | null }[];
  }[];
}

/**
 * What axe-core finds against WCAG 2.2 and the practices that it knows. A text in the colour of its ground is one, too: for
 * axe-core it may be meant.
 */
export async function faultsOf(page: Page): Promise<unknown[]> {
  await page.evaluate(AXE);
  return page.evaluate(async () => {
    const { axe } = globalThis as unknown as {
      axe: { run: () => Promise<{ violations: Found[]; incomplete: Found[] }> };
    };
    const { violations, incomplete } = await axe.run();
    const unseen = incomplete.map(({ id, nodes }) => ({
      id,
      nodes: nodes.filter(({ any }) => any.some(({ data }) => data?.messageKey === 'equalRatio')),
    }));
    return [...violations, ...unseen.filter(({ nodes }) => nodes.length > 0)].map(({ id, nodes }) => [
      id,
      nodes.map(({ html, failureSummary }) => [html, failureSummary]),
    ]);
  });
}
