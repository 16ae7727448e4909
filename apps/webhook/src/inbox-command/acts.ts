import { shortTime } from '@plant-store/command/printable';
import type { Row } from '@plant-store/command/table';

import type { Act, DeliveryFilter } from '../inbox/inbox-operations.js';
import { changedText, outcomeText } from '../inbox/in-words.js';
import type { Terminal } from './terminal.js';

/** Most ids in a line. JSON has all. */
const MAX_IDS = 10;

/** A line for each act: when it began, by whom, how many of which deliveries it has changed, what became of it, and why. */
export function actsTable(terminal: Terminal, shown: readonly Act[]): string {
  const rows = shown.map((act): Row => {
    const of = act.filter === null ? '' : `${changedText(act)} ${filterText(act.filter)}`;
    const became = act.kind === 'replay' ? outcomeText(act) : '';
    return [
      ...[act.id, shortTime(act.at), act.operator ?? '', act.kind, of.trimEnd(), became],
      ...[act.source ?? '', act.reason ?? ''],
    ];
  });
  const headings = ['ACT', 'AT', 'OPERATOR', 'WHAT', 'DELIVERIES', 'BECAME', 'FROM', 'REASON'];
  return terminal.table(rows, headings, false);
}

/** A filter as the options that choose deliveries. */
function filterText({ state = [], errorGroup, ids, firstId, lastId, ...received }: DeliveryFilter): string {
  const { receivedFrom, receivedBefore } = received;
  const isRange = (firstId ?? lastId) !== undefined;
  return [
    [state].flat().join(', '),
    errorGroup !== undefined && `--error '${errorGroup.replaceAll("'", `'\\''`)}'`,
    receivedFrom !== undefined && `--since ${shortTime(receivedFrom)}`,
    receivedBefore !== undefined && `--before ${shortTime(receivedBefore)}`,
    isRange && `--id ${firstId ?? 1}..${lastId ?? ''}`,
    ids !== undefined && `--id ${ids.slice(0, MAX_IDS).join(', ')}`,
    ids !== undefined && ids.length > MAX_IDS && `and ${ids.length - MAX_IDS} more`,
  ]
    .filter(Boolean)
    .join(' ');
}
