import { disks } from './disks.js';
import type { Fault } from './fault.js';
import { kills } from './kills.js';
import { poison } from './poison.js';
import { postgres } from './postgres.js';
import { logs, nothing, tokens } from './steady.js';
import { strangers } from './strangers.js';

/** Every fault, by family. **Add a new one here**: a row in the file of its family, or a file of its own. */
export const faultFamilies: readonly (readonly Fault[])[] = [
  nothing,
  kills,
  disks,
  poison,
  strangers,
  tokens,
  logs,
  postgres,
];
