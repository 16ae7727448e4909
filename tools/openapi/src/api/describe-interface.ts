import type { Answers, OpenQuestion } from '@plant-store/contract';
import { readOpenapi } from '../read/read-openapi.js';
import { type ReadText, SourceFiles } from '../read/source-files.js';
import { type SourceNode, stringAt, valueAt } from '../read/source-node.js';
import { describePathItem } from './describe-operation.js';
import { Questions } from './describe-questions.js';
import { describeAuthentication, describeRequirement } from './describe-security.js';
import { DocumentReader, jsonOf } from './document-reader.js';
import { type Block, type Fact, join, type Page, type Section, type Text, textOf } from './page.js';

/** What a page is made from. */
export interface InterfaceSources {
  readonly readText: ReadText;
  /** Path of the OpenAPI document. */
  readonly document: string;
  readonly questions: readonly OpenQuestion[];
  readonly answers: Answers;
  /** The command that writes the page. */
  readonly generator: string;
}

/**
 * The interface as a person reads it: what the document states, and what is open or answered beside it.
 *
 * @throws ToolError if the document cannot be read, or is none of OpenAPI 3.1
 */
export function describeInterface(sources: InterfaceSources): Page {
  const files = new SourceFiles(sources.readText);
  const root = readOpenapi(files, sources.document);
  const reader = new DocumentReader(files);
  const questions = new Questions(sources.questions, sources.answers);
  const describe = (kind: 'webhook' | 'path', part: string): Section[] =>
    reader
      .entries(reader.at(root, part))
      .map(([key, node]) => describePathItem({ reader, questions, root, key, node, kind }));
  const webhooks = describe('webhook', 'webhooks');
  const paths = describe('path', 'paths');
  const info = reader.at(root, 'info');
  return {
    title: stringAt(info ?? root, 'title') ?? 'Interface',
    subtitle: subtitleOf(reader, root),
    blocks: [
      ...described(info),
      {
        kind: 'paragraph',
        text: [
          'This page says what the OpenAPI document states, and no more. ',
          questions.answered.length === 0
            ? 'What the specification leaves open is listed as open.'
            : 'What the specification leaves open is listed with its answer, or as open.',
        ],
      },
      { kind: 'facts', facts: overview({ reader, root, questions, webhooks, paths }) },
    ],
    sections: [...webhooks, ...paths, describeAuthentication(reader, root), ...questions.sections()],
    generator: sources.generator,
    sources: [sources.document, 'libs/contract/src/register', 'libs/contract/src/answers.ts'],
  };
}

function subtitleOf(reader: DocumentReader, root: SourceNode): string {
  const info = reader.at(root, 'info');
  const version = info && stringAt(info, 'version');
  const license = reader.at(info, 'license');
  const name = license && stringAt(license, 'name');
  return [
    ...(version === undefined ? [] : [`Version ${version}`]),
    ...(name === undefined ? [] : [`${name} licence`]),
    `OpenAPI ${stringAt(root, 'openapi') ?? ''}`,
  ].join(' · ');
}

function described(info: SourceNode | undefined): Block[] {
  const description = info && stringAt(info, 'description');
  return description === undefined ? [] : [{ kind: 'paragraph', text: textOf(description) }];
}

interface Overview {
  readonly reader: DocumentReader;
  readonly root: SourceNode;
  readonly questions: Questions;
  readonly webhooks: readonly Section[];
  readonly paths: readonly Section[];
}

function overview({ reader, root, questions, webhooks, paths }: Overview): Fact[] {
  const { open, answered } = questions;
  return [
    { name: webhooks.length === 1 ? 'Webhook' : 'Webhooks', value: linksTo(webhooks) },
    { name: 'Request paths', value: linksTo(paths) },
    { name: 'Base address', value: serversOf(reader, root, questions) },
    {
      name: 'Authentication',
      value: describeRequirement(reader, valueAt(root, 'security')) ?? ['not stated'],
    },
    ...(answered.length === 0
      ? []
      : [{ name: 'Answered questions', value: [{ to: 'answered', text: String(answered.length) }] }]),
    ...(open.length === 0
      ? []
      : [{ name: 'Open questions', value: [{ to: 'open', text: String(open.length) }] }]),
  ];
}

function linksTo(sections: readonly Section[]): Text {
  if (sections.length === 0) return ['none'];
  return join(
    sections.map(({ id, title }) => [{ to: id, text: title }]),
    ', ',
  );
}

/** A URL with a variable in it says only half of an address; the other half may be declared, or open. */
function serversOf(reader: DocumentReader, root: SourceNode, questions: Questions): Text {
  const servers = reader.items(valueAt(root, 'servers'));
  if (servers.length === 0) return questions.silence('base-address');
  const texts = servers.map((server): Text => {
    const url = stringAt(server, 'url') ?? '';
    const description = stringAt(server, 'description');
    const isOpen = url.includes('{') && valueAt(server, 'variables') === undefined;
    return [
      { code: url },
      ...(description === undefined ? [] : [` (${description})`]),
      ...(isOpen ? [', ', ...questions.silence('base-address')] : []),
      ...reader
        .entries(valueAt(server, 'variables'))
        .flatMap(([name, variable]) => variableOf(reader, name, variable)),
    ];
  });
  return join(texts, '; ');
}

function variableOf(reader: DocumentReader, name: string, variable: SourceNode): Text {
  const others = reader.items(valueAt(variable, 'enum')).length;
  const description = stringAt(variable, 'description');
  return [
    ', where ',
    { code: name },
    ' is ',
    { code: stringAt(variable, 'default') ?? '' },
    ...(others > 1
      ? [' unless another of ', { code: jsonOf(valueAt(variable, 'enum') ?? variable) }, ' is agreed on']
      : []),
    ...(description === undefined ? [] : [' (', ...textOf(description), ')']),
  ];
}
