/** Takes the picture of the README. `WRITE_PICTURE=1 npx nx browser webhook-e2e -- picture` writes it to docs/images. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import { makeFolder } from '@plant-store/test-support';

import { ROOT } from '../support/development.js';
import { preloading } from '../support/receiver.js';
import { deliver, describeWithBrowser, startInspected, visit } from './visit.js';

const { WRITE_PICTURE } = process.env;
const PICTURES = join(ROOT, WRITE_PICTURE ? 'docs/images' : 'apps/webhook-e2e/test-output');

const FAILED = 6;

/** A handler that can't reach its database for one delivery. */
function makeHandler(): string {
  const built = pathToFileURL(join(ROOT, 'apps/webhook/dist/dispatch/new-plant.handler.js')).href;
  const file = join(makeFolder(), 'handler.mjs');
  writeFileSync(
    file,
    `import { NewPlantHandler } from '${built}';
     NewPlantHandler.prototype.handle = ({ id }) => {
       if (id === ${FAILED}) throw new Error('connect ECONNREFUSED 127.0.0.1:5432');
     };`,
  );
  return file;
}

describeWithBrowser('the picture of the README', () => {
  test('shows deliveries, and one that failed', async () => {
    const settings = { ...preloading(makeHandler()), HANDLER_MAX_ATTEMPTS: '3', HANDLER_BACKOFF_MS: '10' };
    const receiver = await startInspected({ settings });
    for (let number = 1; number <= 9; number += 1) {
      const content = JSON.stringify({
        note: `Arbitrary content ${number}: the fields of a plant are open.`,
      });
      await deliver(receiver, content, { 'content-type': 'application/json' });
    }

    const { page } = await visit(receiver, `?delivery=${FAILED}`, {
      viewport: { width: 1200, height: 890 },
      deviceScaleFactor: 1.5,
    });
    await page.locator('#detail dd').getByText('parked').waitFor();
    await page.getByText('"note":').waitFor();

    mkdirSync(PICTURES, { recursive: true });
    await page.screenshot({ path: join(PICTURES, 'inspector.png') });
  });
});
