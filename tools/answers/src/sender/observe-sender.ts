import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import type { Observations } from '../observations.js';
import { run } from '../world/run.js';
import type { World } from '../world/make-world.js';

/** Looks at the sender of a world, in a process of that world. */
export async function observeSender(world: World): Promise<Observations> {
  const script = join(world.folder, 'try-sender.js');
  cpSync(fileURLToPath(new URL('../../dist/sender/try-sender.js', import.meta.url)), script);
  const { code, stdout, stderr } = await run(script, [world.answered.join(',')]);
  if (code !== 0) throw new Error(`The sender could not be looked at: ${stderr}`);
  return JSON.parse(stdout) as Observations;
}
