import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/**
 * The answers that were just built, and not those of an earlier build.
 *
 * @returns {Promise<import('@plant-store/contract').Answers>}
 */
export async function readAnswers() {
  const url = pathToFileURL(join(import.meta.dirname, '../../../libs/contract/dist/answers.js'));
  url.searchParams.set('read', String(Date.now()));
  const { answers } = await import(url.href);
  return answers;
}
