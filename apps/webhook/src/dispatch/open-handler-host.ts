import type { Logger } from 'pino';

import type { Config } from '../config/config.js';
import type { HandlerHost } from './handler-host.js';
import { HandlerInReceiver } from './handler-in-receiver.js';
import { HandlerProcess } from './handler-process.js';

/** Opens the place where the handler runs. In the receiver's process, rejects with whatever a provider throws. */
export async function openHandlerHost(
  { HANDLER_PROCESS, INBOX_URL }: Pick<Config, 'HANDLER_PROCESS' | 'INBOX_URL'>,
  logger: Logger,
): Promise<HandlerHost> {
  if (HANDLER_PROCESS === 'own') return new HandlerProcess(logger);
  // Imported late: if the handler has a process of its own, nothing of it is loaded here.
  const { openHandler } = await import('./open-handler.js');
  return new HandlerInReceiver(await openHandler(logger, INBOX_URL));
}
