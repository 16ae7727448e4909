import { createContext, Script } from 'node:vm';

const context = createContext({ work: undefined });
const script = new Script('work()');

/**
 * Runs what has no end of its own: a pattern, or a schema that applies itself very often.
 *
 * @throws Error `ERR_SCRIPT_EXECUTION_TIMEOUT` if it takes longer
 */
export function withinTime<Result>(milliseconds: number, work: () => Result): Result {
  const outer: unknown = context['work'];
  Object.assign(context, { work });
  try {
    return script.runInContext(context, { timeout: milliseconds }) as Result;
  } finally {
    Object.assign(context, { work: outer });
  }
}

/** Whether `withinTime` ended the work. */
export function isTimeOut(error: unknown): boolean {
  return (error as NodeJS.ErrnoException | undefined)?.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';
}
