import { fileURLToPath } from 'node:url';

import { afterThisTest } from '@plant-store/test-support';

import { TestProcess } from './process.js';
import { everythingOpen } from './receiver.js';

const PLANT_INBOX = fileURLToPath(new URL('../../webhook/bin/plant-inbox.js', import.meta.url));

/** Runs the command `plant-inbox` until it ends. */
export async function plantInbox(
  ...args: readonly string[]
): Promise<{ code: number | null; output: string }> {
  const command = new TestProcess([process.execPath, PLANT_INBOX, ...args], { environment: everythingOpen });
  afterThisTest(() => command.kill());
  const { code } = await command.exit;
  return { code, output: command.output };
}
