import { type Connection, openConnection } from './connection.js';
import type { TestProcess } from './process.js';

/** Waits until a process whose log can't be read accepts a connection. */
export async function untilItListens(process: TestProcess, port: number): Promise<Connection> {
  const ended = process.gone.then(() => {
    throw new Error(`The process ended before it listened.\n${process.output}`);
  });
  ended.catch(() => undefined);
  for (;;) {
    const connection = await Promise.race([ended, openConnection(port).catch(soon)]);
    if (connection !== undefined) return connection;
  }
}

/** Waits a little, before something is looked at again that no event tells of. */
export const soon = (): Promise<undefined> =>
  new Promise((resolve) => setTimeout(() => resolve(undefined), 20).unref());
