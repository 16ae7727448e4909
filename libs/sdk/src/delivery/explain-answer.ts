import type { ErrorPayload, Failure } from '@plant-store/contract';
import type { AnsweredSettings } from '../answers/answered-settings.js';
import { essenceOf } from '../encoders/media-type.js';
import type { Answer } from './answer.js';

/** What an unsuccessful answer says of itself. */
export interface Explanation {
  readonly failure?: Failure | undefined;
  /** The content, parsed. */
  readonly payload?: unknown;
}

/** Finds out what an unsuccessful answer says. It never throws, whatever the answer holds. */
export type ExplainAnswer = (answer: Answer) => Explanation;

/** Decides how unsuccessful answers are understood. While the questions of §7 are open, they say nothing. */
export function answerExplainer(answered: AnsweredSettings): ExplainAnswer {
  const { failureOfCode, failureOfStatus, errorPayload } = answered;
  if (errorPayload === undefined) return ({ status }) => ({ failure: failureOfStatus.get(status) });
  const codeIn = codeReader(errorPayload);
  return (answer) => {
    const payload = parse(answer, errorPayload);
    const code = codeIn(payload);
    const failure = typeof code === 'string' ? failureOfCode.get(code) : undefined;
    return { failure: failure ?? failureOfStatus.get(answer.status), payload };
  };
}

function codeReader({ fields }: ErrorPayload): (payload: unknown) => unknown {
  const field = Object.keys(fields).find((name) => fields[name] === 'code');
  return (payload) =>
    field !== undefined && typeof payload === 'object' && payload !== null && Object.hasOwn(payload, field)
      ? (payload as Record<string, unknown>)[field]
      : undefined;
}

function parse({ headers, content, truncated }: Answer, { mediaType }: ErrorPayload): unknown {
  const stated = headers['content-type'];
  if (truncated || typeof stated !== 'string' || essenceOf(stated) !== essenceOf(mediaType)) return undefined;
  try {
    return JSON.parse(Buffer.from(content).toString('utf8'));
  } catch {
    return undefined;
  }
}
