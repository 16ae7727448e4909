import { describeError } from '../logging/describe-error.js';
import { Attempt } from './handler-host.js';
import {
  type EndedAttempt,
  type FromHandler,
  MessageBatch,
  type NumberedAttempt,
  type ToHandler,
} from './handler-messages.js';
import type { OpenHandler } from './open-handler.js';

/** In the handler's process: runs the attempts that the receiver sends, until it says stop. */
export function serveAttempts({ run, close }: OpenHandler): void {
  const running = new Map<number, Attempt>();
  const batch = new MessageBatch<EndedAttempt>((attempts) => send({ kind: 'ended', attempts }));

  const runAttempt = async ({ number, delivery }: NumberedAttempt): Promise<void> => {
    const attempt = new Attempt();
    running.set(number, attempt);
    try {
      const ending = run(delivery, attempt);
      if (ending !== undefined) await ending;
      batch.add({ number });
    } catch (error) {
      batch.add({ number, error: describeError(error) });
    }
    running.delete(number);
  };

  process.on('message', (message: ToHandler) => {
    if (message.kind === 'start') for (const attempt of message.attempts) void runAttempt(attempt);
    else if (message.kind === 'abort') running.get(message.number)?.abort(message.reason);
    else void close().then(() => process.exit(0));
  });
  send({ kind: 'ready' });
}

function send(message: FromHandler): void {
  // If it can't be sent, the receiver has ended.
  process.send!(message, undefined, undefined, () => undefined);
}
