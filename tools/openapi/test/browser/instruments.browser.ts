import { CHROMIUM_ARGUMENTS, findChromium, findOverflow } from '@plant-store/test-support/browser';
import { type Browser, chromium, type Page } from 'playwright-core';
import { readColors } from './read-colors.js';

const executablePath = findChromium();
const testWithBrowser = executablePath === undefined ? test.skip : test;

let browser: Browser | undefined;

afterAll(() => browser?.close());

async function show(body: string): Promise<Page> {
  browser ??= await chromium.launch({ executablePath: executablePath!, args: CHROMIUM_ARGUMENTS });
  const page = await browser.newPage({ viewport: { width: 360, height: 740 } });
  await page.setContent(`<!doctype html><html style="background: #fff"><body>${body}</body></html>`);
  return page;
}

testWithBrowser('a faint text is found, against the nearest background that is painted', async () => {
  const page = await show(
    '<p style="color: #777">grey on white</p><p style="background: #000; color: #fff">x<b style="color: #333">dark on black</b></p><p hidden>y</p>',
  );
  const texts = await page.evaluate(readColors);
  expect(texts.map(({ text, ratio }) => [text, Math.round(ratio * 100) / 100])).toEqual([
    ['grey on white', 4.48],
    ['x', 21],
    ['dark on black', 1.66],
  ]);
});

testWithBrowser('what is wider than the window is found, unless it scrolls alone', async () => {
  const wide = '<div style="width: 400px">wide</div>';
  const scrolls = await show(`<div class="scroll" style="overflow-x: auto">${wide}</div>`);
  expect(await scrolls.evaluate(findOverflow)).toEqual([]);
  const spills = await show(wide);
  expect(await spills.evaluate(findOverflow)).toEqual(['the page: 408 of 360 pixels', 'div: wide']);
  const hidden = await show(`<div style="overflow: hidden">${wide}</div>`);
  expect(await hidden.evaluate(findOverflow)).toEqual(['div: wide']);
});
