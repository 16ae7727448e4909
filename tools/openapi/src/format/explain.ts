import type { Fact } from '../facts/fact.js';
import { statedIn } from '../facts/stated-in.js';
import type { Finding, StaleReason } from '../gate/finding.js';
import type { Action } from '../overlay/action.js';
import { plainName, pointerOf } from '../read/json-pointer.js';
import { formatPlace, type Place } from '../read/place.js';
import { stringAt } from '../read/source-node.js';
import type { Producer } from '../sources/producers.js';
import type { Presentation } from './presentation.js';

/** A value, and where it is written. */
export interface Statement {
  readonly value: string;
  readonly file: string;
  readonly line: number;
}

/** A finding in words. */
export interface Explanation {
  readonly finding: Finding;
  /** `webhooks › /plant/webhook › summary` */
  readonly name: string;
  /** What the specification or the answer states. */
  readonly stated?: Statement;
  /** What the comment beside it says: the section. */
  readonly section?: string;
  /** What the document shows. */
  readonly shown?: Statement;
  readonly producer?: Producer;
  /** `question http-method, answered by … on …: reason (file:line)` */
  readonly answer?: string;
  /** What to do, as sentences; empty for a fact that is answered. */
  readonly advice: readonly string[];
}

/** Says what a finding is, where it comes from and what to do about it. */
export function explain(finding: Finding, presentation: Presentation): Explanation {
  const { baseline, document, action } = finding;
  const section = baseline && statedIn(baseline);
  const producer = presentation.producerOf(finding.pointer);
  return {
    finding,
    name: plainName(
      finding.reason === 'states nothing' && action ? pointerOf(action.steps) : finding.pointer,
    ),
    ...(baseline && { stated: statement(baseline) }),
    ...(section !== undefined && { section }),
    ...(document && { shown: statement(document) }),
    ...(producer && { producer }),
    ...(action && {
      answer: `question ${action.question}, ${provenanceOf(action)}`,
    }),
    advice: adviceOn(finding, presentation, producer),
  };
}

/** Who answered, when and why, and where that is written. */
export function provenanceOf({ answeredBy, date, reason, place }: Action): string {
  return `answered by ${answeredBy} on ${date}: ${reason} (${formatPlace(place)})`;
}

/** A producer as `path:line`, or `path`. */
export function formatProducer({ file, line }: Producer): string {
  return line === undefined ? file : `${file}:${line}`;
}

function statement({ text, place }: Fact): Statement {
  return { value: text, file: place.file.path, line: place.file.lineAt(place.start) };
}

function adviceOn(finding: Finding, presentation: Presentation, producer: Producer | undefined): string[] {
  const where = producer === undefined ? 'the code that generates the document' : formatProducer(producer);
  const again = presentation.mend === undefined ? 'generate the document again' : `run: ${presentation.mend}`;
  const { baseline } = finding;
  switch (finding.state) {
    case 'answered':
      return [];
    case 'missing':
      return [
        `Show it again in ${where}, then ${again}`,
        `If the specification no longer states it, take ${placeOf(baseline)} out of the baseline instead.`,
      ];
    case 'contradicted':
      return [
        `Make it ${baseline?.text ?? ''} again in ${where}, then ${again}`,
        `If the specification changed, change ${placeOf(baseline)} with its section instead.`,
      ];
    case 'invented':
      return [
        `Nothing states it. Take it out of ${where}, then ${again}`,
        `If it was answered, add an action to ${presentation.overlay ?? 'an overlay, and name it with --overlay'}.`,
      ];
    case 'stale answer':
      return staleAdvice(finding, where, again);
  }
}

const STALE: Readonly<Record<StaleReason, (at: string, where: string, again: string) => string[]>> = {
  'not shown': (at, where, again) => [
    `The answer is not in the document. Show it in ${where}, then ${again}`,
    `If it no longer holds, take the action at ${at} out of the overlay.`,
  ],
  'shown differently': (at, where, again) => [
    `The document shows another value than the answer. Correct ${where}, then ${again}`,
    `If the answer changed, it is a new one: change ${at} with who answered, when and why.`,
  ],
  'no target': (at) => [`Its target is not in the baseline. Correct \`target\` at ${at}.`],
  'would overwrite': (at) => [
    `The baseline or an earlier answer states something there; an answer only adds. Correct ${at}.`,
  ],
  'states nothing': (at) => [
    `It adds no fact: it is empty, or OpenAPI's default says the same. Take the action at ${at} out, or its \`update\` if it has an \`x-answer\`.`,
  ],
};

function staleAdvice({ action, reason }: Finding, where: string, again: string): string[] {
  if (reason === undefined) return [];
  return isReference(action) && reason === 'states nothing'
    ? [
        `What its \`$ref\` leads to is told of the actions that state it. At ${placeOf(action)}, write that in place of the \`$ref\`, and take it out where it stands now.`,
      ]
    : STALE[reason](placeOf(action), where, again);
}

/** A reference that fills an empty map of another action stands where a fact of that one stood, and adds none. */
function isReference(action: Action | undefined): boolean {
  return action?.update !== undefined && stringAt(action.update, '$ref') !== undefined;
}

function placeOf(written: { readonly place: Place } | undefined): string {
  return written === undefined ? 'it' : formatPlace(written.place);
}
