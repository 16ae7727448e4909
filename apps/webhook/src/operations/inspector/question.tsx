import { CHANGEABLE, CHANGED_UNASKED } from '../../inbox/acts.js';
import type { ChangeKind, DeliveryFilter, DeliveryState } from '../../inbox/inbox-operations.js';
import { MAX_NAME } from '../parameters.js';
import type { Look } from './look.js';
import { own } from './parts.js';
import { addressOf, filterOf, isOfShown, limitsOf, type Place, quietOf, wordsOf } from './place.js';
import * as words from './words.js';

const VERBS = { replay: 'Replay', discard: 'Discard', pause: 'Pause', resume: 'Resume' } as const;

const LEFT_OUT = {
  replay: 'Handled ones are left out: choose handled to replay them.',
  discard: 'Only parked ones can be discarded.',
};

/** What is asked before something is done. */
interface Question {
  /** In words, such as `delivery 7` or `12 parked deliveries`. */
  readonly what: string;
  readonly count: number;
  /** Those that are meant; none if the handler is. */
  readonly states: readonly DeliveryState[];
  readonly filter?: DeliveryFilter;
  /** What is left out. */
  readonly note?: string | undefined;
}

/** Whether deliveries of a state can be changed. */
const isAble = (kind: ChangeKind, state: DeliveryState): boolean =>
  (CHANGEABLE[kind] as readonly DeliveryState[]).includes(state);

/**
 * A button for each change that deliveries of these states allow. It leads to the question.
 *
 * @param what is meant, in words
 * @param form of which they are, if they aren't in it
 */
export const changeButtons = (states: readonly DeliveryState[], what = '', form?: string) =>
  (['replay', 'discard'] as const)
    .filter((kind) => states.some((state) => isAble(kind, state)))
    .map((kind) => (
      <button form={form} name="ask" value={kind} class={kind === 'discard' ? 'bad' : ''}>
        {VERBS[kind]}
        <span class="chosen">{what}</span>…
      </button>
    ));

/**
 * The question of a place, as a dialog above the page.
 *
 * @param shown the rows, which a search and an act mean if nobody has chosen any
 */
export async function questionOf(look: Look, shown: readonly number[]) {
  const { ask, chosen } = look.place;
  if (ask === undefined) return null;
  if (ask === 'pause' || ask === 'resume')
    return dialogOf(look, ask, { what: 'the handler', count: 1, states: [] });
  const ids = chosen ?? (isOfShown(look.place) ? shown : undefined);
  return dialogOf(look, ask, await questionOfChange(look, ask, ids));
}

/**
 * Counts what would be changed. Handled deliveries have had their effect: whoever wants it again chooses them.
 *
 * @param ids undefined for all that the place lists
 */
async function questionOfChange(look: Look, kind: ChangeKind, ids?: readonly number[]): Promise<Question> {
  const { inbox, place, times } = look;
  const asked = ids ? CHANGEABLE[kind] : place.state ? [place.state].flat() : CHANGED_UNASKED[kind];
  const able = ids?.length === 0 ? [] : asked.filter((state) => isAble(kind, state));
  const [newest] = await inbox.list({}, { order: 'newest first', limit: 1 });
  // What arrives from now on isn't part of it.
  const lastId = Math.min(place.lastId ?? Infinity, newest?.id ?? 1);
  const filter = ids ? { ids } : { ...filterOf(place), ...(place.ids === undefined && { lastId }) };
  const counts = able.length === 0 ? undefined : await inbox.count({ ...filter, state: able });
  const states = able.filter((state) => counts?.[state]);
  const count = states.reduce((sum, state) => sum + counts![state], 0);
  const noun = count === 1 ? 'delivery' : 'deliveries';
  const left = (ids?.length ?? 0) - count;
  const leftOut = place.state === undefined ? LEFT_OUT[kind] : undefined;
  const numbers = states.map((state) => words.number(counts![state], state)).join(' and ');
  const limits = limitsOf(place, times).map((limit) => limit.words);
  const some = `${words.count(count)} ${place.chosen ? 'selected' : 'shown'} ${noun} (${states.join(', ')})`;
  return {
    what:
      ids?.length === 1
        ? `delivery ${ids[0]!}`
        : count === 0
          ? wordsOf(place, times)
          : ids
            ? some
            : [numbers, noun, ...limits].join(' '),
    count,
    states,
    // As long as they have such a state.
    filter: { ...filter, state: states },
    note: ids ? (left > 0 ? `${words.deliveries(left)} of these cannot be ${kind}ed.` : undefined) : leftOut,
  };
}

function dialogOf(
  { place, facts, operator, isSignedIn }: Look,
  kind: keyof typeof VERBS,
  question: Question,
) {
  const { what, count, states, filter = {}, note } = question;
  const isDiscard = kind === 'discard';
  const repeats = states.includes('handled');
  // One that fails may be replayed without a thought.
  const isHarmless = count === 1 && !isDiscard && !repeats;
  const back = addressOf(quietOf(place));
  const title = <h2 id="question">{`${VERBS[kind]} ${what}?`}</h2>;
  const cancel = (text: string) => (
    <a class="button end" id="cancel" href={back} autofocus={!isHarmless}>
      {text}
    </a>
  );
  if (count === 0)
    return (
      <dialog open aria-labelledby="question">
        <div class="stack">
          {title}
          <p>There is nothing to {kind}.</p>
          <p class="row">{cancel('Close')}</p>
        </div>
      </dialog>
    );
  return (
    <dialog open aria-labelledby="question">
      <form method="post" action="./" class="stack">
        {title}
        <p>
          Receiver: <strong>{facts.name}</strong>
        </p>
        {isDiscard && (
          <p>
            <strong>This can't be undone.</strong> The header fields and the content are deleted for good. The
            error and your reason are kept.
          </p>
        )}
        {kind === 'replay' && <p>The handler gets {count === 1 ? 'it' : 'them'} again, with all attempts.</p>}
        {repeats && <strong>What it has handled, it handles again.</strong>}
        {note && <p class="note">{note}</p>}
        {isSignedIn && (
          <p>
            You: <strong>{own(operator)}</strong>
          </p>
        )}
        {!isSignedIn && (
          <label>
            Your name
            <input name="operator" maxLength={MAX_NAME} value={operator} />
          </label>
        )}
        <label>
          Reason{isDiscard ? ', kept with the delivery' : ''}
          <input name="reason" required={isDiscard} pattern=".*\S.*" maxLength={1_000} autoComplete="off" />
        </label>
        <input type="hidden" name="kind" value={kind} />
        <input type="hidden" name="filter" value={JSON.stringify(filter)} />
        <input type="hidden" name="count" value={count} />
        <input type="hidden" name="back" value={back} />
        <p class="row">
          <span class="bad" role="status" />
          {cancel('Cancel')}
          <button class={isDiscard ? 'primary bad' : 'primary'} autofocus={isHarmless}>
            {VERBS[kind]}
            {count > 1 && ` ${words.count(count)}`}
          </button>
        </p>
      </form>
    </dialog>
  );
}

/** A button that leads to the question whether the handler is paused, or goes on. */
export const handlerButton = (place: Place, ask: 'pause' | 'resume') => (
  <form>
    <input type="hidden" name="view" value={place.view ?? ''} />
    <button name="ask" value={ask} class={ask === 'pause' ? 'quiet' : 'primary'}>
      {VERBS[ask]} <span class="word">the handler</span>
    </button>
  </form>
);
