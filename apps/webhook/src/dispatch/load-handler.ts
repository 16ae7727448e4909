import { statSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

import { Module, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { Logger } from 'pino';
import {
  type DeliveryHandler,
  type Handler,
  LOGGER,
  type Logger as HandlerLogger,
} from '@plant-store/handler';

import { modulePath } from '../config/handler-source.js';
import { ReceiverError } from '../errors.js';
import { nestLogger } from '../logging/logger.js';

/** A handler, and how to close what it uses. */
export interface OpenTarget {
  /** Which one it is, for people. It has no secret. */
  readonly name: string;
  readonly handle: DeliveryHandler;
  readonly close: () => Promise<void>;
}

/** What a module exports: as an ES module, or as CommonJS, which has it all in `default`. */
interface Exports {
  readonly default?: unknown;
  readonly HandlerModule?: unknown;
}

/** Of a handler that injects nothing but the logger. Nest's messages have its name. */
@Module({})
class HandlerModule {}

/** Provides the logger for the handler, and for whatever its modules import. */
@Module({})
class LoggerModule {}

/**
 * Loads the team's handler: the default export of a module, which is a function, or a class that Nest constructs with
 * what the module's `HandlerModule` provides. Rejects with whatever the module or a provider throws.
 *
 * @param source the path, or the `file:` URL, of an ES module or CommonJS
 * @throws ReceiverError `HANDLER_UNUSABLE`
 */
export async function loadHandler(source: string, logger: Logger): Promise<OpenTarget> {
  const path = modulePath(source);
  if (!statSync(path, { throwIfNoEntry: false })?.isFile()) throw unusable(`HANDLER names no file: ${path}`);
  const loaded = (await import(pathToFileURL(path).href)) as Exports;
  const exported = hasDefault(loaded.default) ? loaded.default : loaded;
  const handler = exported.default;
  if (typeof handler !== 'function')
    throw unusable(`${path} has no default export that is a function, or a class with the method "handle"`);
  const name = handler.name === '' ? path : `${handler.name} of ${path}`;
  const { prototype } = handler as { readonly prototype?: { handle?: unknown } };
  // A class may have been compiled to a function.
  if (/^class\b/.test(String(handler)) || typeof prototype?.handle === 'function')
    return { name, ...(await construct(handler as Type<Partial<Handler>>, exported, logger)) };
  return { name, handle: handler as DeliveryHandler, close: () => Promise.resolve() };
}

/** In an application context of its own, which is closed after the last attempt. */
async function construct(
  handler: Type<Partial<Handler>>,
  { HandlerModule: module = HandlerModule }: Exports,
  logger: Logger,
): Promise<Omit<OpenTarget, 'name'>> {
  if (typeof module !== 'function') throw unusable(`the HandlerModule of ${handler.name} is not a class`);
  const log = { provide: LOGGER, useValue: logger satisfies HandlerLogger };
  const logging = { module: LoggerModule, global: true, providers: [log], exports: [log] };
  const context = await NestFactory.createApplicationContext(
    { module: module as Type, imports: [logging], providers: [handler] },
    { logger: nestLogger(logger), abortOnError: false },
  );
  const instance = context.get(handler);
  if (typeof instance.handle !== 'function') {
    await context.close();
    throw unusable(`${handler.name} has no method "handle"`);
  }
  return { handle: instance.handle.bind(instance), close: () => context.close() };
}

const hasDefault = (exported: unknown): exported is Exports =>
  typeof exported === 'object' && exported !== null && 'default' in exported;

const unusable = (what: string): ReceiverError =>
  new ReceiverError('HANDLER_UNUSABLE', `The handler cannot start: ${what}. Add it, or correct HANDLER.`);
