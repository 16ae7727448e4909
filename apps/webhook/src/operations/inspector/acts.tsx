import type { Act } from '../../inbox/inbox-operations.js';
import { changedText, outcomeText } from '../../inbox/in-words.js';
import type { Look } from './look.js';
import { long, table, Time } from './parts.js';
import { addressOf, type Place, wordsOf } from './place.js';
import * as words from './words.js';

/** Acts on a page. */
const ROWS = 50;

/** What operators did, and what became of it. */
export async function actsPage({ inbox, place, times }: Look) {
  const after = place.olderThan;
  const acts = await inbox.acts.list({ limit: ROWS, ...(after !== undefined && { after }) });
  const last = acts.length < ROWS ? undefined : acts.at(-1)?.id;
  const rows = acts.map((act) => [
    <Time at={act.at} as="full" />,
    <>
      {whatOf(act)}
      {act.filter && ': '}
      {act.filter && <a href={addressOf(placeOfAct(act))}>{wordsOf({ ...act.filter } as Place, times)}</a>}
    </>,
    outcomeOf(act),
    <>
      {act.operator && long(act.operator)}
      {act.source && <p class="note">{act.source}</p>}
    </>,
    act.reason && long(act.reason),
  ]);
  return (
    <section class="card">
      <h2 id="acts" tabIndex={-1}>
        What operators did
      </h2>
      {acts.length === 0 && <p>Nobody has replayed, discarded, paused or resumed anything.</p>}
      {acts.length > 0 && table(['When', 'What', 'Result', 'Who', 'Why'], 'What', rows)}
      {last !== undefined && <a href={addressOf({ view: 'acts', olderThan: last })}>Older</a>}
    </section>
  );
}

/** What became of the deliveries of a replay. */
export function outcomeOf(act: Act) {
  if (act.kind !== 'replay') return null;
  return <span class={act.failed > 0 ? 'bad' : act.waiting > 0 ? '' : 'good'}>{outcomeText(act)}</span>;
}

/** The deliveries of an act, in whatever state they are now, and whether or not they still have its error. */
export const placeOfAct = ({ id, filter }: Act): Place =>
  filter?.ids ? { ids: [...filter.ids] } : { act: id };

/** What was done, such as `replay of 12 deliveries`. */
export function whatOf(act: Act): string {
  if (act.filter === null) return `${act.kind} of the handler`;
  const number = act.endedAt === null ? `${changedText(act)} deliveries` : words.deliveries(act.changed);
  return `${act.kind} of ${number}`;
}
