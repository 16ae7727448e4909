import { setTimeout as pause } from 'node:timers/promises';

import { type Fault, STEADY_TIME } from './fault.js';
import { fullDisk } from './full-disk.js';
import { kills } from './kills.js';
import { poison } from './poison.js';
import { powerCuts } from './power-cuts.js';
import { removedFiles } from './removed-files.js';
import { stalledLog } from './stalled-log.js';
import { strangers } from './strangers.js';
import { tokenRotation } from './token-rotation.js';

const none: Fault = { name: 'none', on: 'steady', happen: () => pause(STEADY_TIME) };

/** Every fault, by family. **Add a new one here**: a row in the file of its family, or a file of its own. */
export const faultFamilies: readonly (readonly Fault[])[] = [
  [none],
  kills,
  powerCuts,
  fullDisk,
  removedFiles,
  poison,
  strangers,
  tokenRotation,
  stalledLog,
];
