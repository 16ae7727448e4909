import { type Answers, type AnswerValues, CONTENT_METHODS, facts, valuesOf } from '@plant-store/contract';
import { answerFaults, valueFaults } from '@plant-store/contract/check';

import { createTokenMatcher, type TokenMatcher } from '../authentication/access-token-source.js';
import { type Challenges, makeChallenges } from '../authentication/bearer.strategy.js';
import type { AnsweredSettings, Config } from '../config/config.js';
import { type DeliveryPipeline, requireContent, requireMethod } from '../delivery/pipeline.js';
import { refuseContentEncoding } from '../delivery/steps/head.js';
import { parseJson } from '../delivery/steps/payload.js';
import { readSigningKey } from '../delivery/steps/signature.js';
import { ReceiverError } from '../errors.js';
import { prepareResponse } from '../http/message.js';
import type { DocumentParts } from './document-parts.js';
import { documentPartsOf } from './document-table.js';
import { prepareRefusals } from './prepare-refusals.js';
import { type ReceiverEffect, type ReceiverQuestion, receiverTable } from './receiver-table.js';

/** The settings that the pipeline needs. */
type PipelineSettings = Pick<
  Config,
  'MAX_CONTENT_BYTES' | 'MAX_CONTENT_BYTES_IN_FLIGHT' | 'REQUEST_TIMEOUT_MS' | 'SIGNING_KEYS'
>;

/** Everything in the receiver that depends on the answers. */
export interface ComposedAnswers {
  /** What the settings must be. */
  readonly settings: AnsweredSettings;
  /** The path where deliveries come: that of §4, unless an answer puts a prefix before it. */
  readonly path: string;
  readonly challenges: Challenges;
  readonly tokenMatcher: TokenMatcher;
  /** @param settings as they were parsed with {@link settings} */
  readonly createPipeline: (settings: PipelineSettings) => DeliveryPipeline;
  /** What the OpenAPI document shows. */
  readonly document: DocumentParts;
}

/**
 * Composes the answers as they are entered.
 *
 * @throws ReceiverError `ANSWERS_INVALID`, with every fault of an entry or of an answer
 */
export function composeEntries(answers: Answers): ComposedAnswers {
  refuse(answerFaults(answers));
  return compose(valuesOf(answers));
}

/**
 * Composes what the answers change. Call it once, at the start, and pass the parts on: nothing else in the receiver
 * reads an answer. A question that is open, or answered in words, changes nothing.
 *
 * @throws ReceiverError `ANSWERS_INVALID`, with every answer that can't be carried out
 */
export function composeAnswers(answers: AnswerValues): ComposedAnswers {
  refuse(valueFaults(answers));
  return compose(answers);
}

/** @param answers that have no fault */
function compose(answers: AnswerValues): ComposedAnswers {
  const ids = (Object.keys(receiverTable) as ReceiverQuestion[]).filter((id) => answers[id] !== undefined);
  const effects = ids.map((question) => ({ question, ...effectOf(question, answers) }));
  const combined = Object.assign({}, ...effects) as ReceiverEffect;
  const tokenMatcher = createTokenMatcher(combined.tokenFormat);
  return Object.freeze({
    settings: {
      limits: effects.flatMap(({ limit, question }) => (limit === undefined ? [] : [{ ...limit, question }])),
      accessToken: combined.tokenFormat && { ...tokenMatcher, format: combined.tokenFormat.name },
      signingKey: combined.signing && signingKeyOf(combined.signing.key),
    },
    path: combined.path ?? facts.DELIVERY_PATH,
    challenges: makeChallenges(combined.realm),
    tokenMatcher,
    createPipeline: (settings: PipelineSettings) => createPipeline(effects, combined, settings),
    document: documentPartsOf(answers),
  });
}

function refuse(faults: readonly string[]): void {
  if (faults.length > 0)
    throw new ReceiverError(
      'ANSWERS_INVALID',
      ['These answers cannot be carried out:', ...faults].join('\n  '),
    );
}

function effectOf(id: ReceiverQuestion, answers: AnswerValues): ReceiverEffect {
  const row = receiverTable[id];
  return typeof row === 'function' ? row(answers[id] as never, answers) : {};
}

function signingKeyOf(key: NonNullable<ReceiverEffect['signing']>['key']): AnsweredSettings['signingKey'] {
  return {
    description: key.prefix === '' ? key.encoding : `${key.prefix} and ${key.encoding}`,
    matches: (text) => readSigningKey(key, text) !== undefined,
  };
}

function createPipeline(
  effects: readonly ReceiverEffect[],
  { methods, signing, readsJson, acknowledgement, refusals }: ReceiverEffect,
  settings: PipelineSettings,
): DeliveryPipeline {
  const keys = (settings.SIGNING_KEYS ?? []).flatMap(
    (text) => (signing && readSigningKey(signing.key, text)) ?? [],
  );
  return Object.freeze({
    headSteps: Object.freeze([
      requireMethod(methods ?? CONTENT_METHODS),
      requireContent,
      ...effects.flatMap(({ headStep }) => headStep ?? []),
      ...(readsJson ? [refuseContentEncoding] : []),
    ]),
    contentSteps: Object.freeze([
      // A signature covers bytes, so it is verified before anything is parsed.
      ...(signing ? [signing.verify(keys)] : []),
      ...(readsJson ? [parseJson] : []),
      ...effects.flatMap(({ contentStep }) => contentStep ?? []),
    ]),
    stepTimeout: settings.REQUEST_TIMEOUT_MS,
    maxContentBytes: settings.MAX_CONTENT_BYTES,
    maxContentBytesInFlight: settings.MAX_CONTENT_BYTES_IN_FLIGHT,
    acknowledgement: acknowledgement ?? prepareResponse(204),
    refusals: refusals ?? prepareRefusals({}),
  });
}
