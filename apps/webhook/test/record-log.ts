import type { Logger } from 'pino';

import { createLogger } from '../src/logging/logger.js';

/** A line of the log. */
export type Line = Readonly<Record<string, unknown>> & { readonly msg: string };

/** A logger like the receiver's, and what it has written. */
export interface LogRecord {
  readonly logger: Logger;
  readonly lines: readonly Line[];
  /** Everything that was written, as it was written. */
  readonly text: () => string;
  /** Resolves with the first line that has this message, now or later. */
  readonly line: (message: string | RegExp) => Promise<Line>;
}

export function recordLog(): LogRecord {
  const written: string[] = [];
  const lines: Line[] = [];
  const waiting = new Set<() => void>();
  const logger = createLogger('trace', {
    write: (text) => {
      written.push(text);
      lines.push(JSON.parse(text) as Line);
      waiting.forEach((look) => look());
    },
  });
  const line = (message: string | RegExp): Promise<Line> =>
    new Promise((resolve) => {
      const look = (): void => {
        const found = lines.find(({ msg }) =>
          typeof message === 'string' ? msg === message : message.test(msg),
        );
        if (found === undefined) return;
        waiting.delete(look);
        resolve(found);
      };
      waiting.add(look);
      look();
    });
  return { logger, lines, text: () => written.join(''), line };
}
