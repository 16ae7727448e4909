import { compare, type Comparison } from '../src/facts/compare.js';
import { factGraph, factGraphs, type ReadDocument } from '../src/facts/fact-graph.js';
import type { Fact, FactNode } from '../src/facts/fact.js';
import { readOpenapi, type ReadText, SourceFiles } from '../src/read/source-files.js';
import { ToolError } from '../src/read/tool-error.js';

/** Files that exist only in a test, by path. */
export type Texts = Readonly<Record<string, string>>;

/** Reads from files that exist only in a test. */
export function reader(texts: Texts): ReadText {
  return (path) => {
    const text = Object.hasOwn(texts, path) ? texts[path] : undefined;
    if (text === undefined)
      throw new ToolError('unreadable', `${path}: cannot be read: there is no such file`);
    return text;
  };
}

/** An OpenAPI document as JSON, from its fields beside `openapi` and `info`. */
export function documentOf(fields: object): string {
  return JSON.stringify({ openapi: '3.1.0', info: { title: 'T', version: '1' }, ...fields });
}

/** A document with one webhook whose payload has this schema, and these components. */
export function withSchema(schema: unknown, schemas?: object, more: object = {}): string {
  const requestBody = { content: { 'application/json': { schema } } };
  const components = schemas === undefined ? {} : { components: { schemas } };
  return documentOf({ webhooks: { hook: { post: { requestBody } } }, ...components, ...more });
}

/** Where `withSchema` puts the schema. */
export const SCHEMA = '/webhooks/hook/post/requestBody/content/application~1json/schema';

/** Every fact of the document in `main`, by pointer, as JSON text. */
export function factTexts(texts: Texts, main = 'main.yaml'): Record<string, string> {
  return Object.fromEntries(Array.from(readFacts(texts, main), ([pointer, { text }]) => [pointer, text]));
}

/** Every fact of the document in `main`, by pointer. */
export function readFacts(texts: Texts, main = 'main.yaml'): Map<string, Fact> {
  const root = graph(texts, main);
  return new Map(Array.from(compare(root, root).equalFacts(), (fact) => [fact.pointer, fact]));
}

/** What differs between two documents, as the gate compares them. */
export function differences(first: Texts, second: Texts, main = 'main.yaml'): readonly Comparison<never>[] {
  return compare(...factGraphs(read(first, main), read(second, main))).listed;
}

/** How many facts the document in `main` has, as the gate counts them. */
export function countOf(texts: Texts, main = 'main.yaml'): number {
  const root = graph(texts, main);
  return compare(root, root).equal;
}

function graph(texts: Texts, main: string): FactNode {
  const { files, root } = read(texts, main);
  return factGraph(files, root);
}

function read(texts: Texts, main: string): ReadDocument {
  const files = new SourceFiles(reader(texts));
  return { files, root: readOpenapi(files, main) };
}
