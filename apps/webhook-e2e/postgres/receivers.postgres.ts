import { afterThisFile, makeFolder } from '@plant-store/test-support';
import { postgresOfThisFile, withPostgres } from '@plant-store/test-support/postgres-tests';
import { WallClock } from '@plant-store/test-support/wall-clock';

import { poisonSettings, sendAll } from '../support/poison.js';
import { soon } from '../support/port.js';
import type { Environment } from '../support/process.js';
import { type RunningReceiver, startReceiver } from '../support/receiver.js';

const clock = WallClock.make(makeFolder(afterThisFile));

withPostgres('of two receivers on one database,', () => {
  let query: (sql: string) => Promise<string>;
  let start: (settings?: Environment) => Promise<RunningReceiver>;

  beforeEach(async () => {
    const server = await postgresOfThisFile();
    const url = await server.createDatabase();
    query = (sql) => server.query(sql, new URL(url).pathname.slice(1));
    const common = { ...poisonSettings, INBOX_URL: url };
    start = (settings) => startReceiver({ settings: { ...common, ...settings } });
  });

  /** Waits until each delivery is handled. */
  const untilHandled = async (): Promise<void> => {
    const left = "SELECT count(*) FROM plant_store.delivery WHERE state <> 'handled'";
    while ((await query(left)) !== '0') await soon();
  };

  (clock === undefined ? test.skip : test)(
    'the other one gets at once what the first has accepted whose clock is ahead',
    async () => {
      clock!.setAhead(600);
      const ahead = await start({ ...clock!.environment, HANDLER_CONCURRENCY: '0' });
      const right = await start();
      for (const receiver of [right, ahead]) {
        await sendAll(receiver, ['arbitrary']);
        await untilHandled();
      }
    },
  );
});
