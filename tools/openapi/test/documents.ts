import { factsOf } from '../src/gate/facts.js';
import { type GateInput, type GateReport, gate } from '../src/gate/gate.js';
import { parse } from '../src/gate/read.js';

/** An OpenAPI document as JSON, from its fields beside `openapi` and `info`. */
export function documentOf(fields: object): string {
  return JSON.stringify({ openapi: '3.1.0', info: { title: 'T', version: '1' }, ...fields });
}

/** A document whose only webhook has these fields. */
export function withHook(fields: object, more: object = {}): string {
  return documentOf({ webhooks: { '/hook': { summary: 'Hook', ...fields } }, ...more });
}

/** An operation that takes JSON of this schema. */
export function taking(schema: unknown): object {
  return { post: { requestBody: { content: { 'application/json': { schema } } } } };
}

/** The pointer of that schema. */
export const SCHEMA = '/webhooks/~1hook/post/requestBody/content/application~1json/schema';

/** An action that a person signed. */
export function action(target: string, update?: object, more: object = {}): object {
  return {
    target,
    ...(update && { update }),
    'x-question': 'retry',
    'x-answered-by': 'A. Person',
    'x-date': '2026-01-31',
    'x-reason': 'Minutes',
    ...more,
  };
}

/** The text of an overlay. */
export function overlayOf(...actions: readonly object[]): string {
  return JSON.stringify({ overlay: '1.0.0', info: { title: 'Answers', version: '1' }, actions });
}

interface Texts {
  readonly baseline?: string;
  readonly document: string;
  readonly overlay?: string;
  readonly answers?: GateInput['answers'];
}

/** What the gate finds. The baseline is `withHook({})` by default. */
export function gateOf({ baseline = withHook({}), document, overlay, answers }: Texts): GateReport {
  return gate({
    baseline: { text: baseline, file: 'b.json' },
    document: { text: document, file: 'd.json' },
    overlay: overlay === undefined ? undefined : { text: overlay, file: 'o.json' },
    answers,
  });
}

/** What differs, as `state pointer`. */
export function found(texts: Texts): string[] {
  return gateOf(texts).findings.map(({ state, pointer }) => `${state} ${pointer}`);
}

/** Every fact of a document, by pointer, as JSON text. */
export function factTexts(document: string): Record<string, string> {
  return Object.fromEntries(
    Array.from(factsOf(parse(document, 'd.json')).all, ([at, { text }]) => [at, text]),
  );
}
