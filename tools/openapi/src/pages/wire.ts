import { openQuestions } from '@plant-store/contract';
import { wire, type WireBasis, type WireItem, type WireSection } from '@plant-store/contract/wire';
import { code, slugOf, table } from '../markdown.js';

const HEAD = `# Everything on the wire

Nothing else is sent. A test sends every request that we know to built receivers, with every question open and with example answers, lets the sender and the command send, and maps each line of the raw bytes to a row. A line without a row fails, and so does a row that is never seen.

What varies is in braces: \`{one|other}\`, a part of an answer, such as \`{signing.signature.header}\`, or what it is. A row with a part of an answer, or with "once", is there only once that question is answered. What is read and has no effect is a row, too. "Only" has the status or method as a pattern: \`[45]..\` is 400 to 599. "Local" is a setting or an option of ours.`;

const TITLES: Readonly<Record<WireSection, string>> = {
  deliveriesRead: 'What the receiver reads of a delivery',
  deliveriesSent: 'What the receiver responds to a delivery',
  senderSent: 'What the sender sends',
  proxyAsked: 'What the command sends to a proxy, for a receiver with TLS',
  senderRead: 'What the sender reads of a response',
  forwarded: 'What the receiver forwards to a service, and reads of its response',
  operationsRead: 'What the operations listener reads',
  operationsSent: 'What the operations listener responds',
};

/** docs/reference/wire.md: a table for each side, and what states each line. */
export function renderWire(): string {
  return [
    HEAD,
    ...Object.entries(wire).flatMap(([section, items]) => [
      `## ${TITLES[section as WireSection]}`,
      table(['Line', 'Only', 'Kind', 'Stated by'], items.map(rowOf)),
    ]),
  ].join('\n\n');
}

function rowOf([line, basis, on, once]: WireItem): string[] {
  const bases = [basis].flat();
  const only = [
    ...(on === undefined ? [] : [code(on)]),
    ...(once === undefined ? [] : [`once ${code(once)}`]),
  ];
  return [code(line), only.join(', '), kindOf(bases[0]!), bases.map(nameOf).join(', ')];
}

function kindOf(basis: WireBasis): string {
  if (basis.startsWith('§')) return 'fact';
  if (basis.startsWith('RFC ')) return 'standard';
  return /^(?:setting|option) /.test(basis) ? 'local' : 'open question';
}

function nameOf(basis: WireBasis): string {
  const question = openQuestions.find(({ id }) => id === basis);
  if (question !== undefined)
    return `[${code(question.id)}](../../OPEN_QUESTIONS.md#${slugOf(question.title)})`;
  const [, kind, name = ''] = /^(setting|option) (.+)$/.exec(basis) ?? [];
  return kind === undefined ? basis : `${kind} ${code(name)}`;
}
