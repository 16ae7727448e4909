import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { type Executable as Answers, facts, type StillAccepted } from '@plant-store/contract';
import type * as Sdk from '@plant-store/sdk';
import { NO_HANDLER } from '@plant-store/test-support';

/** The repository. */
export const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));

/** A sender without its types, which types.ts observes. */
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
    readonly composeAnswers: (
      answers: Answers,
      stillAccepted?: StillAccepted,
    ) => { readonly settings: unknown };
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
  readonly 'apps/webhook/dist/answers/document-table.js': {
    readonly documentPartsOf: (answers: Answers) => unknown;
    readonly documentTable: object;
  };
  readonly 'apps/webhook/dist/openapi/create-document.js': {
    readonly createDocument: (composed: unknown) => Promise<Readonly<Record<string, unknown>>>;
  };
  readonly 'libs/sdk/dist/index.js': typeof Sdk;
  readonly 'libs/sdk/dist/new-plant-sender.js': {
    readonly createNewPlantSender: (
      options: unknown,
      contract: { readonly answers: Answers; readonly stillAccepted?: StillAccepted },
    ) => AnySender;
  };
  readonly 'libs/sdk/dist/options/resolve-settings.js': {
    readonly resolveSettings: (answers: Answers, options: unknown) => { readonly attemptTimeout: number };
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
  answers: Answers,
  folder: string,
  settings: Settings,
  stillAccepted?: StillAccepted,
): Promise<Receiver> {
  const { createLogger } = await loadBuilt('apps/webhook/dist/logging/logger.js');
  const receiver = await loadBuilt('apps/webhook/dist/receiver.js');
  const { composed, config } = await configure(
    answers,
    { INBOX_URL: `file:${folder}`, ...settings },
    stillAccepted,
  );
  const logger = createLogger('silent', { write: () => undefined });
  const { url, close } = await receiver.startReceiver(config, logger, composed);
  return { origin: new URL(url).origin, inbox: join(folder, 'inbox.sqlite'), stop: close };
}

/**
 * What the built receiver does before it starts.
 *
 * @throws Error that lists the settings that it refuses
 */
export async function configure(answers: Answers, settings: Settings, stillAccepted?: StillAccepted) {
  const { composeAnswers } = await loadBuilt('apps/webhook/dist/answers/compose-answers.js');
  const { parseConfig } = await loadBuilt('apps/webhook/dist/config/config.js');
  const composed = composeAnswers(answers, stillAccepted);
  const config = parseConfig(
    { PORT: '0', OPERATIONS_PORT: '0', HANDLER: NO_HANDLER, ...settings },
    composed.settings,
  );
  return { composed, config };
}

/** The document under a set of answers, as text. */
export async function writeDocument(answers: Answers): Promise<string> {
  const { composeAnswers } = await loadBuilt('apps/webhook/dist/answers/compose-answers.js');
  const { createDocument } = await loadBuilt('apps/webhook/dist/openapi/create-document.js');
  return JSON.stringify(await createDocument(composeAnswers(answers)), undefined, 2);
}

/** The document without one answer, by question, for each answer that may show in it. */
export async function writeDocumentsWithout(answers: Answers): Promise<Record<string, string>> {
  const { documentPartsOf, documentTable } = await loadBuilt('apps/webhook/dist/answers/document-table.js');
  const { createDocument } = await loadBuilt('apps/webhook/dist/openapi/create-document.js');
  const shown = Object.keys(answers).filter((id) => id in documentTable);
  const documents = shown.map(async (id) => {
    const rest = Object.fromEntries(Object.entries(answers).filter(([question]) => question !== id));
    const document = await createDocument({ path: facts.DELIVERY_PATH, document: documentPartsOf(rest) });
    return [id, JSON.stringify(document)] as const;
  });
  return Object.fromEntries(await Promise.all(documents));
}
