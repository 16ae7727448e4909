import { stringify } from 'yaml';
import { documentOf } from './documents.js';

/** Answers of a small interface. */
export interface Answers {
  readonly 'http-method'?: string | undefined;
  readonly 'receiver-response'?: number;
  readonly 'event-identity'?: string;
  readonly retry?: string;
}

export const QUESTIONS = ['http-method', 'receiver-response', 'event-identity', 'retry'];
export const ANSWERS: Answers = {
  'http-method': 'POST',
  'receiver-response': 204,
  'event-identity': 'x-id',
  retry: 'never',
};
export const HOOK = "$.webhooks['/hook']";
const SOURCES = { '': 'controller.ts' };

/** The document that the code makes of its answers. Without a method, there is no operation. */
function documentFor(answers: Answers, invented: object = {}): string {
  const { 'http-method': method, 'receiver-response': status, 'event-identity': header } = answers;
  const operation = {
    ...(header && { parameters: [{ name: header, in: 'header', required: true }] }),
    ...(status && { responses: { [status]: { description: 'Taken' } } }),
  };
  const operations = method === undefined ? {} : { [method.toLowerCase()]: operation };
  return documentOf({ webhooks: { '/hook': { summary: 'Hook', ...operations, ...invented } } });
}

export function action(
  question: keyof Answers,
  target: string,
  update?: object,
  answers: Answers = ANSWERS,
): object {
  return {
    target,
    ...(update && { update }),
    'x-question': question,
    'x-answer': answers[question],
    'x-answered-by': 'A. Person',
    'x-date': '2026-01-31',
    'x-reason': 'Minutes',
  };
}

export const METHOD = action('http-method', HOOK, { post: {} });
export const RESPONSE = action('receiver-response', `${HOOK}.post`, {
  responses: { '204': { description: 'Taken' } },
});
export const IDENTITY = action('event-identity', `${HOOK}.post`, {
  parameters: [{ name: 'x-id', in: 'header', required: true }],
});
export const RETRY = action('retry', '$');

export interface Given {
  readonly actions: readonly object[];
  /** The answers of the code. */
  readonly answers?: Answers;
  /** What decorators state, and no answer. */
  readonly invented?: object;
}

/** The files of the gate. The overlay says where each action starts. */
export function filesOf({ actions, answers = ANSWERS, invented }: Given): Record<string, string> {
  const without = Object.keys(answers).map((question) => [
    `without/${question}.json`,
    documentFor({ ...answers, [question]: undefined }, invented),
  ]);
  const overlay = { overlay: '1.0.0', info: { title: 'Answers', version: '1' }, actions };
  return {
    'b.yaml': documentFor({}),
    'd.json': documentFor(answers, invented),
    'a.json': JSON.stringify({ source: 'answers.ts', questions: QUESTIONS, answers }),
    'answers.ts': Object.keys(answers)
      .map((id) => `'${id}': …,`)
      .join('\n'),
    ...(actions.length > 0 && { 'o.yaml': stringify(overlay) }),
    'sources.json': JSON.stringify(SOURCES),
    'controller.ts': '',
    ...(Object.fromEntries(without) as Record<string, string>),
  };
}

export const FILES = [
  ...['--baseline', 'b.yaml', '--document', 'd.json', '--overlay', 'o.yaml'],
  ...['--answers', 'a.json', '--without', 'without'],
];

/** Both sides agree. */
export const ALL = [METHOD, RESPONSE, IDENTITY, RETRY];
