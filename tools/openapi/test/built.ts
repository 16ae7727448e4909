import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { type AnswerValues, type Answers, plainAnswers } from '@plant-store/contract';
import { NO_HANDLER } from '@plant-store/test-support';
import type { Ledger } from '../src/ledger.js';

/** The repository. */
export const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

/** A sender without its types. */
export interface AnySender {
  send(plant: unknown, options: object): Promise<unknown>;
  close(): Promise<void>;
}

/** A receiver that listens. */
export interface Receiver {
  readonly origin: string;
  /** The file of its inbox. */
  readonly inbox: string;
  stop(): Promise<unknown>;
}

type Settings = Readonly<Record<string, string>>;

/** The modules of the build that are used. They take the answers as a parameter. */
interface Modules {
  readonly 'apps/webhook/dist/answers/compose-answers.js': {
    readonly composeAnswers: (answers: AnswerValues) => { readonly settings: unknown };
  };
  readonly 'apps/webhook/dist/answers/document-places.js': {
    readonly placesOf: (answers: AnswerValues) => Readonly<Record<string, readonly string[]>>;
  };
  readonly 'apps/webhook/dist/config/config.js': {
    readonly parseConfig: (environment: Settings, settings: unknown) => unknown;
  };
  readonly 'apps/webhook/dist/logging/logger.js': {
    readonly createLogger: (level: string, stream: { write: () => void }) => unknown;
  };
  readonly 'apps/webhook/dist/receiver.js': {
    readonly startReceiver: (
      config: unknown,
      logger: unknown,
      composed: unknown,
    ) => Promise<{ readonly url: string; readonly close: () => Promise<boolean> }>;
  };
  readonly 'apps/webhook/dist/openapi/create-document.js': {
    readonly createDocument: (composed: unknown) => Promise<Readonly<Record<string, unknown>>>;
  };
  readonly 'libs/sdk/dist/internal.js': {
    readonly createSenderUnder: (options: unknown, contract: { readonly answers: AnswerValues }) => AnySender;
  };
}

/** Loads a module of the build. Nobody imports an application, so nothing here is compiled against it. */
export async function loadBuilt<File extends keyof Modules>(file: File): Promise<Modules[File]> {
  return import(pathToFileURL(join(ROOT, file)).href) as Promise<Modules[File]>;
}

/**
 * Starts the built receiver under a set of answers.
 *
 * @param folder of its inbox
 */
export async function startReceiver(
  answers: AnswerValues,
  folder: string,
  settings: Settings,
): Promise<Receiver> {
  const { composeAnswers } = await loadBuilt('apps/webhook/dist/answers/compose-answers.js');
  const { parseConfig } = await loadBuilt('apps/webhook/dist/config/config.js');
  const { createLogger } = await loadBuilt('apps/webhook/dist/logging/logger.js');
  const receiver = await loadBuilt('apps/webhook/dist/receiver.js');
  const composed = composeAnswers(answers);
  const local = { PORT: '0', OPERATIONS_PORT: '0', HANDLER: NO_HANDLER, INBOX_URL: `file:${folder}` };
  const config = parseConfig({ ...local, ...settings }, composed.settings);
  const logger = createLogger('silent', { write: () => undefined });
  const { url, close } = await receiver.startReceiver(config, logger, composed);
  return { origin: new URL(url).origin, inbox: join(folder, 'inbox.sqlite'), stop: close };
}

/** The document under a set of answers, as text. */
export async function writeDocument(answers: AnswerValues): Promise<string> {
  const { composeAnswers } = await loadBuilt('apps/webhook/dist/answers/compose-answers.js');
  const { createDocument } = await loadBuilt('apps/webhook/dist/openapi/create-document.js');
  return JSON.stringify(await createDocument(composeAnswers(answers)), undefined, 2);
}

/** The ledger of a set of answers, all of them given by nobody. */
export async function ledgerOf(answers: AnswerValues): Promise<Ledger> {
  const { placesOf } = await loadBuilt('apps/webhook/dist/answers/document-places.js');
  const places = placesOf(answers);
  const entries = Object.entries(plainAnswers(answers)).map(([id, is]) => [
    id,
    { is, ...BY, places: places[id] },
  ]);
  return Object.fromEntries(entries) as Ledger;
}

/** Who gave the answers of the tests. */
export const BY = { who: 'Nobody', on: '2026-01-31', why: 'An example.' } as const satisfies Omit<
  NonNullable<Answers['http-method']>,
  'is' | 'inWords'
>;
