import { afterThisTest } from '@plant-store/test-support';

import { type Connection, openConnection } from '../support/connection.js';
import { expectResponse } from '../support/expect-response.js';
import { readInbox } from '../support/inbox.js';
import { delivery } from '../support/messages.js';
import { startPassingParent } from '../support/passing-parent.js';

describe('a receiver to which a socket is passed', () => {
  test('restarts while deliveries come, and none is refused, reset or unknown', async () => {
    const parent = await startPassingParent();
    const load = new SteadyLoad(parent.port);
    afterThisTest(() => load.end());

    for (let round = 1; round <= 3; round += 1) {
      parent.start();
      await parent.process.logged('listening', round);
      await load.untilMore();
      parent.stop();
      await parent.process.logged('ended', round);
    }
    parent.start();
    await parent.process.logged('listening', 4);
    await load.untilMore();
    await load.end();
    parent.stop();
    await parent.process.logged('ended', 4);

    expect(load.failures).toEqual([]);
    expect(parent.process.entries('ended').map(({ code }) => code)).toEqual([0, 0, 0, 0]);
    const stored = readInbox(parent.inbox).map(({ content }) => content.toString());
    expect(stored.sort()).toEqual(load.acknowledged.sort());
  });

  test('gets what came before its start, and while there was none', async () => {
    const parent = await startPassingParent({ PORT: '1' });
    for (let round = 1; round <= 2; round += 1) {
      const connection = await openConnection(parent.port);
      connection.write(delivery(`round ${round}`));
      parent.start();
      expectResponse(await connection.response(), { status: 204 });
      connection.destroy();
      parent.stop();
      await parent.process.logged('ended', round);
    }

    expect(readInbox(parent.inbox).map(({ content }) => content.toString())).toEqual(['round 1', 'round 2']);
    expect(parent.process.entries()[0]).toMatchObject({
      msg: expect.stringMatching(/^PORT: has no effect/) as string,
    });
  });
});

/** Sends all the time, on a connection for each delivery and on one that it keeps. */
class SteadyLoad {
  readonly acknowledged: string[] = [];
  readonly failures: string[] = [];
  readonly #senders: readonly Promise<void>[];
  #goesOn = true;
  #count = 0;

  constructor(private readonly port: number) {
    const four = Array.from({ length: 4 });
    this.#senders = [...four.map(() => this.#send(true)), ...four.map(() => this.#send(false))];
  }

  /** Waits until deliveries were acknowledged that had not been sent before. */
  async untilMore(): Promise<void> {
    const enough = this.acknowledged.length + 100;
    while (this.acknowledged.length < enough) await new Promise(setImmediate);
  }

  async end(): Promise<void> {
    this.#goesOn = false;
    await Promise.all(this.#senders);
  }

  async #send(keeps: boolean): Promise<void> {
    let connection: Connection | undefined;
    while (this.#goesOn) {
      const content = `delivery ${(this.#count += 1)}`;
      try {
        connection ??= await openConnection(this.port);
        connection.write(delivery(content));
        const { line, fields } = await connection.response();
        if (line === 'HTTP/1.1 204 No Content') this.acknowledged.push(content);
        else this.failures.push(line);
        if (keeps && !fields.some((field) => /^connection: close$/i.test(field))) continue;
      } catch (error) {
        this.failures.push(String(error));
      }
      connection?.destroy();
      connection = undefined;
    }
    connection?.destroy();
  }
}
