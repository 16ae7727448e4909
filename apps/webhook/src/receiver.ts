import { setTimeout as delay } from 'node:timers/promises';

import { systemReason } from '@plant-store/command/system-reason';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { Logger } from 'pino';

import type { ComposedAnswers } from './answers/compose-answers.js';
import { openAccessTokens } from './authentication/access-token-source.js';
import type { Config } from './config/config.js';
import { Counters } from './counters.js';
import { Dispatcher } from './dispatch/dispatcher.js';
import type { OpenHandler } from './dispatch/open-handler.js';
import { sayWhileItStarts } from './dispatch/slow-start.js';
import { exitCodeOf, ReceiverError } from './errors.js';
import { authorityOf, listenOnOne, urlOf } from './http/listen.js';
import type { Inbox } from './inbox/inbox.js';
import { createInbox } from './inbox/open-inbox.js';
import { startRemovingExpired } from './inbox/retention.js';

/** What is cut off must still be stored, so it is cut off so long before the deadline of a stop: milliseconds. */
const TIME_TO_STORE = 1_000;

/** A receiver that runs. */
export interface Receiver {
  /** Where deliveries come. */
  readonly url: string;
  /** Where the people who run it find its documents. */
  readonly operationsUrl: string;
  /**
   * Serves on for the configured delay. Then it accepts no further delivery, responds to those in flight, lets handlers
   * end, and closes the inbox. It takes no longer than the configured time: requests and attempts that haven't ended
   * shortly before are cut off, and what hangs then is left. End the process.
   *
   * @returns whether everything ended by itself
   */
  close(): Promise<boolean>;
}

/** Closes a part of a receiver. When the signal aborts, what is under way is cut off. */
type Close = (cut: AbortSignal) => unknown;

/**
 * Starts a receiver. Its operations come first, and its address for deliveries last.
 *
 * @param config parsed with the settings of `composed`
 * @param passedSocket the file descriptor of a socket to listen on, in place of HOST and PORT
 * @param stopping ends a start that still opens the inbox, however long that would take
 * @throws ReceiverError `ACCESS_TOKENS_UNREADABLE`, `INBOX_UNUSABLE`, `INBOX_IN_USE`, `INBOX_DAMAGED`,
 * `HANDLER_UNUSABLE`, `ADDRESS_UNAVAILABLE`. After any failure nothing is left open.
 * @throws the reason of `stopping`
 */
export async function startReceiver(
  config: Config,
  logger: Logger,
  composed: ComposedAnswers,
  passedSocket?: number,
  stopping: AbortSignal = new AbortController().signal,
): Promise<Receiver> {
  /** What is open, the last first: the order in which it is closed. */
  const opened: Close[] = [];
  try {
    const accessTokens = openAccessTokens(config, logger, composed.tokenMatcher);
    opened.unshift(() => accessTokens.close());
    const counters = new Counters();
    const inbox = await createInbox(config.INBOX_URL, {
      onLost: (err) => endLost(err, logger),
      onUpgrade: ({ from, to }) => {
        operations.starting(`bringing the inbox to version ${to}`);
        logger.info({ from, to }, 'bringing the inbox to another version');
        const start = performance.now();
        return () =>
          logger.info(
            { from, to, ms: Math.round(performance.now() - start) },
            'the inbox has another version',
          );
      },
      logger,
      counters,
    });
    opened.unshift(() => inbox.close());
    const { startOperations } = await import('./operations/operations.js');
    const operations = await startOperations({ config, inbox, accessTokens, counters, logger });
    opened.unshift(() => operations.close());
    await openUnlessStopped(inbox, stopping, () => {
      operations.stopping();
      logger.info('stopping before the inbox is open');
    });
    const socket = await operations.openSocket();
    operations.starting('loading the handler');
    const handler = await startHandler(config, logger, inbox.receiver);
    opened.unshift((cut) => handler.close(cut));
    operations.starting('opening the address for deliveries');
    const dispatcher = new Dispatcher(
      inbox,
      handler,
      {
        concurrency: config.HANDLER_CONCURRENCY,
        timeout: config.HANDLER_TIMEOUT_MS,
        maxAttempts: config.HANDLER_MAX_ATTEMPTS,
        backoff: config.HANDLER_BACKOFF_MS,
        maxBackoff: config.HANDLER_MAX_BACKOFF_MS,
      },
      logger,
      counters,
    );
    const { createApp } = await import('./app.module.js');
    const { app, connections } = await createApp(
      composed.path,
      {
        accessTokens,
        challenges: composed.challenges,
        pipeline: composed.createPipeline(config),
        inbox,
        logger,
        counters,
      },
      config,
    );
    const { SHUTDOWN_DELAY_MS: wait, SHUTDOWN_TIMEOUT_MS: timeout } = config;
    opened.unshift((cut) => {
      if (cut.aborted) return stop(app, dispatcher, cut);
      const isPassed = passedSocket !== undefined;
      const drained =
        wait > 0 || isPassed ? connections.drain(app.getHttpServer(), timeout / 2, isPassed) : undefined;
      // Whoever begins a request and doesn't go on, such as a stranger, would hold the stop, and cut it short.
      void (drained ?? delay(timeout / 2, undefined, { ref: false })).then(() => connections.closeIdle());
      return stop(app, dispatcher, cut, drained);
    });
    const { waiting, parked, isPaused } = await inbox.operations.stats();
    if (passedSocket === undefined) await listenOnAddress(app, config, logger);
    else await listenOnPassedSocket(app, passedSocket);
    const url = urlOf(app.getHttpServer()) + composed.path;
    const operationsUrl = operations.url;
    logger.info(
      {
        url,
        operations: operationsUrl,
        socket,
        inbox: inbox.location,
        handler: handler.name,
        waiting,
        parked,
      },
      'listening',
    );
    if (isPaused) logger.warn({ waiting }, 'the handler is paused; deliveries wait until it is resumed');
    operations.started(url);
    dispatcher.start();
    opened.unshift(
      startRemovingExpired(
        inbox.operations,
        {
          maxAge: config.RETENTION_MS,
          maxBytes: config.RETENTION_BYTES,
          maxEventAge: config.EVENT_RETENTION_MS,
        },
        logger,
      ),
    );

    const close = async (): Promise<boolean> => {
      operations.stopping();
      logger.info({ delayMs: wait, timeoutMs: timeout }, 'stopping');
      if (wait > 0) await delay(wait);
      const isComplete = await closeWithin(timeout, async (cut) => {
        for (const closeOne of opened) await closeOne(cut);
      });
      logger.info({ cutShort: !isComplete }, 'stopped');
      return isComplete;
    };
    return { url, operationsUrl, close };
  } catch (error) {
    for (const close of opened) await closeQuietly(() => close(AbortSignal.abort()));
    throw error;
  }
}

/** Opens an inbox. If the start shall stop meanwhile, it is closed, and stays as it was. */
async function openUnlessStopped(inbox: Inbox, stopping: AbortSignal, onStopping: () => void): Promise<void> {
  const stopOpening = (): void => {
    onStopping();
    void inbox.close();
  };
  stopping.addEventListener('abort', stopOpening);
  try {
    if (stopping.aborted) stopOpening();
    else await inbox.open();
  } catch (error) {
    stopping.throwIfAborted();
    throw error;
  } finally {
    stopping.removeEventListener('abort', stopOpening);
  }
  stopping.throwIfAborted();
}

/** Loads the team's code, which may fail in any way, and may never end. */
async function startHandler(config: Config, logger: Logger, receiver: string): Promise<OpenHandler> {
  try {
    const { openHandler } = await import('./dispatch/open-handler.js');
    const opening = openHandler(config.HANDLER, logger, config.INBOX_URL, receiver);
    return await sayWhileItStarts(opening, config.HANDLER, logger);
  } catch (error) {
    const { handlerFault } = await import('./dispatch/handler-fault.js');
    throw handlerFault(error, config.HANDLER);
  }
}

/** What is accepted from now on could be lost. The supervisor starts the receiver again, which looks at what is there. */
function endLost(err: ReceiverError, logger: Logger): void {
  logger.fatal({ err }, 'the inbox cannot be trusted any more; the receiver ends');
  process.exit(exitCodeOf(err));
}

/** Ignores a failure to close: the failure to start is the one to report, and the rest must be closed too. */
async function closeQuietly(close: () => unknown): Promise<void> {
  try {
    await close();
  } catch {
    // See above.
  }
}

async function listenOnAddress(app: NestFastifyApplication, config: Config, logger: Logger): Promise<void> {
  const { HOST, PORT, OPERATIONS_PORT } = config;
  try {
    await listenOnOne((address) => app.listen(PORT, address), 'HOST', HOST, logger);
  } catch (cause) {
    const advice =
      PORT === OPERATIONS_PORT && PORT !== 0
        ? `PORT and OPERATIONS_PORT are both ${PORT}: set them to different ports`
        : 'Set HOST and PORT to a free address of this machine';
    throw new ReceiverError(
      'ADDRESS_UNAVAILABLE',
      `The receiver cannot listen on ${authorityOf(HOST, PORT)}: ${systemReason(cause)}. ${advice}.`,
      { cause },
    );
  }
}

async function listenOnPassedSocket(app: NestFastifyApplication, fd: number): Promise<void> {
  try {
    await app.listen({ fd });
  } catch (cause) {
    throw new ReceiverError(
      'ADDRESS_UNAVAILABLE',
      `The receiver cannot listen on the socket that was passed to it (LISTEN_FDS): ${systemReason(cause)}. Pass a socket that listens: ListenStream= and Accept=no.`,
      { cause },
    );
  }
}

/**
 * Closes everything, and leaves what hangs at the deadline.
 *
 * @param timeout until the deadline, in milliseconds
 * @param closeAll cuts off what is under way when its signal aborts
 * @returns whether everything has ended by itself
 */
async function closeWithin(timeout: number, closeAll: (cut: AbortSignal) => Promise<void>): Promise<boolean> {
  const cut = AbortSignal.timeout(timeout - Math.min(TIME_TO_STORE, Math.ceil(timeout / 2)));
  const hasClosed = new AbortController();
  const deadline = delay(timeout, false, { signal: hasClosed.signal });
  const isComplete = await Promise.race([closeAll(cut).then(() => !cut.aborted), deadline]);
  hasClosed.abort();
  return isComplete;
}

/**
 * Stops serving and dispatching. When the signal aborts, connections and attempts are cut off.
 *
 * @param drained resolves when connections may be closed
 */
async function stop(
  app: NestFastifyApplication,
  dispatcher: Dispatcher,
  cut: AbortSignal,
  drained?: Promise<void>,
): Promise<void> {
  const cutConnections = (): void => app.getHttpServer().closeAllConnections();
  cut.addEventListener('abort', cutConnections, { once: true });
  const closeApp = async (): Promise<void> => {
    await drained;
    await app.close();
  };
  const stopped = Promise.all([closeApp(), dispatcher.stop(cut)]);
  if (cut.aborted) cutConnections();
  await stopped;
}
