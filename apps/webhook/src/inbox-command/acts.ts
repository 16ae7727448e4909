import { shortTime } from '@plant-store/command/printable';
import type { Row } from '@plant-store/command/table';

import { type Act, type DeliveryFilter, MAX_FILTERS } from '../inbox/inbox-operations.js';
import type { Terminal } from './terminal.js';

/** A line for each act: when it was done, by whom, to how many of which deliveries, what became of it, and why. */
export function actsTable<Shown extends Act>(
  terminal: Terminal,
  shown: readonly Shown[],
  became: (act: Shown) => string = () => '',
): string {
  const rows = shown.map((act): Row => {
    const of =
      act.filters.length === 0 ? [] : [act.changed.toLocaleString('en-US'), filtersText(act.filters)];
    return [
      ...[act.id, shortTime(act.at), act.operator ?? '', act.kind, of.join(' ').trimEnd(), became(act)],
      ...[act.source ?? '', act.reason ?? ''],
    ];
  });
  const headings = ['ACT', 'AT', 'OPERATOR', 'WHAT', 'DELIVERIES', 'BECAME', 'FROM', 'REASON'];
  return terminal.table(rows, headings, false);
}

/** The filters of the parts of an act, as the options that choose deliveries. Those that differ in one id are one. */
function filtersText(filters: readonly DeliveryFilter[]): string {
  const ids = filters.filter(isOneId).map(({ firstId }) => firstId);
  const parts = filters.filter((filter) => !isOneId(filter)).map(filterText);
  const more = filters.length < MAX_FILTERS ? [] : ['…'];
  return [...(ids.length === 0 ? [] : [`--id ${ids.join(', ')}`]), ...new Set(parts), ...more].join('; ');
}

const isOneId = ({ firstId, lastId, ...more }: DeliveryFilter): boolean =>
  firstId !== undefined && firstId === lastId && Object.keys(more).length === 0;

function filterText({ state, errorGroup, ids, firstId, lastId, ...received }: DeliveryFilter): string {
  const { receivedFrom, receivedBefore } = received;
  const isRange = (firstId ?? lastId) !== undefined;
  return [
    state,
    errorGroup !== undefined && `--error '${errorGroup.replaceAll("'", `'\\''`)}'`,
    receivedFrom !== undefined && `--since ${shortTime(receivedFrom)}`,
    receivedBefore !== undefined && `--before ${shortTime(receivedBefore)}`,
    isRange && `--id ${firstId ?? 1}..${lastId ?? ''}`,
    ids !== undefined && `--id ${ids.join(', ')}`,
  ]
    .filter(Boolean)
    .join(' ');
}
