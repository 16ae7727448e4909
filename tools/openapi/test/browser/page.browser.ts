import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { exampleAnswers } from '@plant-store/example-answers';
import { CHROMIUM_ARGUMENTS, findChromium, findOverflow } from '@plant-store/test-support/browser';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { renderApi } from '../../src/pages/api.js';
import { renderHtml } from '../../src/pages/api-html.js';
import { renderSections } from '../../src/pages/questions.js';
import { writeDocument } from '../built.js';
import { WORKSPACE } from '../run-cli.js';
import { readColors } from './read-colors.js';

const executablePath = findChromium();
const describeWithBrowser = executablePath === undefined ? describe.skip : describe;

const PHONE = { viewport: { width: 360, height: 740 }, deviceScaleFactor: 2, hasTouch: true };
const DESKTOP = { viewport: { width: 1280, height: 900 } };

const folder = mkdtempSync(join(tmpdir(), 'openapi-browser-'));
/** The page that the receiver serves, for a document. */
function pageOf(name: string, text: string): { name: string; url: string } {
  const document = JSON.parse(text) as Parameters<typeof renderApi>[0]['document'];
  const sources = { document, ledger: {}, questionsPage: '' };
  const file = join(folder, `${name.replaceAll(' ', '-')}.html`);
  writeFileSync(file, renderHtml(`${renderApi(sources)}\n\n${renderSections({})}\n`));
  return { name, url: pathToFileURL(file).href };
}

const pages = [
  pageOf('the published document', readFileSync(join(WORKSPACE, 'apps/webhook/openapi.json'), 'utf8')),
  pageOf('a document with example answers', await writeDocument(exampleAnswers)),
];

let browser: Browser;

beforeAll(async () => {
  if (executablePath !== undefined)
    browser = await chromium.launch({ executablePath, args: CHROMIUM_ARGUMENTS });
});

afterAll(async () => {
  if (executablePath !== undefined) await browser.close();
  rmSync(folder, { recursive: true });
});

/** Opens a page, lets `look` look at it, and fails if it asked for anything or complained of anything. */
async function visit(
  url: string,
  options: BrowserContextOptions,
  look: (page: Page) => Promise<void>,
): Promise<void> {
  const context = await browser.newContext(options);
  const requests: string[] = [];
  const complaints: string[] = [];
  await context.route('**/*', (route) => {
    requests.push(route.request().url());
    return route.request().url() === url ? route.continue() : route.abort();
  });
  const page = await context.newPage();
  page.on('console', (message) => complaints.push(message.text()));
  page.on('pageerror', (error) => complaints.push(String(error)));
  try {
    await page.goto(url);
    await look(page);
  } finally {
    await context.close();
  }
  expect(requests).toEqual([url]);
  expect(complaints).toEqual([]);
}

/** Texts that are hard to read: WCAG 2.2, 1.4.3, without the easing for large ones. */
async function faintTexts(page: Page): Promise<unknown[]> {
  const texts = await page.evaluate(readColors);
  expect(texts.length).toBeGreaterThan(30);
  return texts.filter(({ ratio }) => ratio < 4.5);
}

describeWithBrowser.each(pages)('$name', ({ url }) => {
  test.each([320, 360, 414, 768, 960, 1280])('is not wider than a window of %d pixels', async (width) => {
    await visit(url, { ...PHONE, viewport: { width, height: 740 } }, async (page) => {
      expect(await page.evaluate(findOverflow)).toEqual([]);
    });
  });

  test('can be read and touched on a phone', async () => {
    await visit(url, PHONE, async (page) => {
      const size = await page.evaluate(() => parseFloat(getComputedStyle(document.body).fontSize));
      expect(size).toBeGreaterThanOrEqual(16);
      const heights = await page
        .locator('nav a:visible')
        .evaluateAll((links) => links.map((link) => link.getBoundingClientRect().height));
      // WCAG 2.2, 2.5.8.
      expect(Math.min(...heights)).toBeGreaterThanOrEqual(24);
    });
  });

  test.each(['light', 'dark'] as const)(
    'has texts with enough contrast in %s colours',
    async (colorScheme) => {
      await visit(url, { ...DESKTOP, colorScheme }, async (page) => {
        expect(await faintTexts(page)).toEqual([]);
        const background = await page.evaluate(
          () => getComputedStyle(document.documentElement).backgroundColor,
        );
        const brightness = Math.max(...(background.match(/\d+/g) ?? []).map(Number));
        if (colorScheme === 'dark') expect(brightness).toBeLessThan(64);
        else expect(brightness).toBeGreaterThan(224);
      });
    },
  );

  test('prints: on white, without what only a screen needs, nothing cut off, to PDF', async () => {
    const paper = { viewport: { width: 660, height: 930 }, colorScheme: 'dark' } as const;
    await visit(url, paper, async (page) => {
      await page.emulateMedia({ media: 'print' });
      expect(await page.evaluate(findOverflow)).toEqual([]);
      expect(await faintTexts(page)).toEqual([]);
      expect(await page.getByRole('navigation').count()).toBe(0);
      const white = await page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
      expect(white).toBe('rgb(255, 255, 255)');
      const pdf = await page.pdf({ format: 'A4' });
      expect(pdf.subarray(0, 5).toString()).toBe('%PDF-');
      expect(pdf.length).toBeGreaterThan(20_000);
    });
  });

  test('has its headings in order, and its landmarks', async () => {
    await visit(url, DESKTOP, async (page) => {
      const levels = await page
        .getByRole('heading')
        .evaluateAll((headings) => headings.map(({ localName }) => Number(localName.slice(1))));
      expect(levels[0]).toBe(1);
      expect(levels.filter((level) => level === 1)).toHaveLength(1);
      expect(levels.filter((level, index) => index > 0 && level > levels[index - 1]! + 1)).toEqual([]);
      for (const role of ['banner', 'main'] as const) expect(await page.getByRole(role).count()).toBe(1);
      expect(await page.getByRole('navigation', { name: 'Contents' }).count()).toBe(1);
      expect(await page.locator('html').getAttribute('lang')).toBe('en');
      expect(await page.title()).not.toBe('');
    });
  });

  test('has links that lead somewhere, and none that leads away', async () => {
    await visit(url, DESKTOP, async (page) => {
      const lost = await page.locator('a').evaluateAll((links) =>
        (links as HTMLAnchorElement[])
          .filter(({ hash, origin, pathname }) => {
            const isHere = origin === location.origin && pathname === location.pathname;
            return !isHere || document.getElementById(decodeURIComponent(hash.slice(1))) === null;
          })
          .map(({ href }) => href),
      );
      expect(lost).toEqual([]);
    });
  });

  test('lets a keyboard skip to the content', async () => {
    await visit(url, DESKTOP, async (page) => {
      const skip = page.getByRole('link', { name: 'Skip to the content' });
      const top = async (): Promise<number> => (await skip.boundingBox())!.y;
      expect(await top()).toBeLessThan(0);
      await page.keyboard.press('Tab');
      expect(await skip.evaluate((link) => link === document.activeElement)).toBe(true);
      expect(await top()).toBeGreaterThanOrEqual(0);
      await page.keyboard.press('Enter');
      await page.keyboard.press('Tab');
      expect(await page.evaluate(() => document.activeElement!.closest('main') !== null)).toBe(true);
      const outline = await page.evaluate(() => getComputedStyle(document.activeElement!).outlineStyle);
      expect(outline).toBe('solid');
    });
  });

  test('shows everything without JavaScript', async () => {
    await visit(url, { ...DESKTOP, javaScriptEnabled: false }, async (page) => {
      expect(await page.getByRole('heading', { level: 1 }).isVisible()).toBe(true);
      expect(await page.getByRole('heading', { name: '§4 Endpoints' }).isVisible()).toBe(true);
      expect(await page.locator('main section:not(:visible)').count()).toBe(0);
    });
  });

  test('refuses addresses outside of the page', async () => {
    const context = await browser.newContext();
    const requests: string[] = [];
    await context.route('**/*', (route) => {
      requests.push(route.request().url());
      return route.continue();
    });
    const page = await context.newPage();
    await page.goto(url);
    const refused = await page.evaluate(async () => {
      const violations: string[] = [];
      const refusals = new Promise<string[]>((resolve) => {
        document.addEventListener('securitypolicyviolation', ({ effectiveDirective }) => {
          if (violations.push(effectiveDirective) === 4) resolve(violations);
        });
      });
      const image = document.createElement('img');
      image.src = 'http://127.0.0.1:9/image';
      const style = document.createElement('link');
      Object.assign(style, { rel: 'stylesheet', href: 'http://127.0.0.1:9/style' });
      const script = document.createElement('script');
      script.src = 'http://127.0.0.1:9/script';
      document.body.append(image, style, script);
      await fetch('http://127.0.0.1:9/fetch').catch(() => undefined);
      return (await refusals).sort();
    });
    await context.close();
    expect(refused).toEqual(['connect-src', 'img-src', 'script-src-elem', 'style-src-elem']);
    expect(requests).toEqual([url]);
  });
});
