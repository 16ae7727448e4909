import { existsSync } from 'node:fs';

/** A browser that runs as any user, without a screen, and keeps to itself. */
export const CHROMIUM_ARGUMENTS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/**
 * The path of the browser: the one that `CHROMIUM` names, or Debian's. Without a browser it prints what to install, and
 * the tests are skipped.
 *
 * @throws Error in CI, if there is no browser
 */
export function findChromium(): string | undefined {
  const path = process.env['CHROMIUM'] || '/usr/bin/chromium';
  if (existsSync(path)) return path;
  const message = `There is no Chromium at ${path}. Install it (Debian: apt-get install chromium), or name another with: CHROMIUM=PATH npm run browser`;
  if (process.env['CI'] === 'true') throw new Error(message);
  process.stderr.write(`${message}\nThe tests of the page were skipped.\n`);
  return undefined;
}
