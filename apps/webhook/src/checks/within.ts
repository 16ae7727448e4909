import { Refusal } from '../http/refusal.js';

/**
 * Waits for a check of content, which is held meanwhile, and no longer than this.
 *
 * @param limit in milliseconds
 * @throws Refusal `unavailable`
 */
export async function within(limit: number, running: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const tooLong = new Promise<never>((_resolve, reject) => {
    const cause = new Error(`a schema took longer than ${limit} ms`);
    timer = setTimeout(() => reject(new Refusal('unavailable', {}, { cause })), limit);
  });
  try {
    await Promise.race([running, tooLong]);
  } finally {
    clearTimeout(timer);
  }
}
