import { afterThisFile, makeFolder } from '@plant-store/test-support';

import { compileDiskJournal } from '../disk-journal.js';
import { cutPower, type PlantedFault, type PowerCutResult } from './power-cuts.js';

const library = makeFolder(afterThisFile);
const diskJournal = compileDiskJournal(library);
/** Without Linux or a C compiler, power cuts can't be made. */
const onDisk = diskJournal === undefined ? test.skip : test;

const cut = (states: number, seed: number, plantedFault?: PlantedFault): Promise<PowerCutResult> =>
  cutPower({
    folder: makeFolder(),
    diskJournal: diskJournal!,
    states,
    seed,
    ...(plantedFault && { plantedFault }),
  });

/** Fixed, because Nx keeps the result. `npm run soak` draws others. */
const SEED = 1;

onDisk(
  `200 states that power cuts could leave are opened, with everything that was acknowledged (seed ${SEED})`,
  async () => {
    const { states, broken, first, acknowledged } = await cut(200, SEED);

    expect(first).toBeUndefined();
    expect({ states, broken }).toEqual({ states: 200, broken: 0 });
    expect(acknowledged).toBeGreaterThan(10_000);
  },
  300_000,
);

onDisk.each<PlantedFault>(['no flush', 'no flush of the log', 'acknowledged before the flush'])(
  `a planted fault is found: %s (seed ${SEED})`,
  async (fault) => {
    const { lost, broken } = await cut(30, SEED, fault);

    expect(lost).toBeGreaterThan(0);
    expect(broken).toBeGreaterThan(0);
  },
  300_000,
);
