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
 * The browser to look with: the one that `CHROMIUM` names, or Debian's. Without one there is nothing to look with; a
 * person is told so, and CI fails.
 *
 * @throws Error in CI, if there is none
 */
export function findChromium(): string | undefined {
  const path = process.env['CHROMIUM'] || '/usr/bin/chromium';
  if (existsSync(path)) return path;
  const message = `There is no Chromium at ${path}. Install it (Debian: apt-get install chromium), or say where it is: CHROMIUM=PATH npm run browser`;
  if (process.env['CI'] === 'true') throw new Error(message);
  process.stderr.write(`${message}\nThe page was not looked at.\n`);
  return undefined;
}
