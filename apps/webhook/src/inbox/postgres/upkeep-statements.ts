import type pg from 'pg';

/** Deletes what this receiver wrote of its progress, except the last. */
export async function deleteOutdated(client: pg.Client, receiver: number): Promise<void> {
  for (const table of ['progress', 'under_way']) {
    await client.query(
      `DELETE FROM plant_store.${table} WHERE receiver = $1 AND number <
        (SELECT number FROM plant_store.${table} WHERE receiver = $1 ORDER BY number DESC LIMIT 1)`,
      [receiver],
    );
  }
}

/** Whether the handler is paused, for all receivers. */
export async function readPaused(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query<{ is_paused: boolean }>('SELECT is_paused FROM plant_store.handler');
  return rows[0]!.is_paused;
}

export async function writePaused(client: pg.Client, isPaused: boolean): Promise<void> {
  await client.query('UPDATE plant_store.handler SET is_paused = $1', [isPaused]);
}
