import { CHANGEABLE, CHANGED_UNASKED, type ChangeKind } from '../../inbox/acts.js';
import type { DeliveryFilter, DeliveryState } from '../../inbox/inbox-operations.js';
import { MAX_NAME } from '../parameters.js';
import type { Look } from './look.js';
import { Own } from './parts.js';
import { addressOf, filterOf, limitsOf, quietOf, stateOf, wordsOf } from './place.js';
import * as words from './words.js';

const VERBS = { replay: 'Replay', discard: 'Discard', pause: 'Pause', resume: 'Resume' } as const;

/** Whether deliveries of a state can be changed. */
const isAble = (kind: ChangeKind, state: DeliveryState): boolean =>
  (CHANGEABLE[kind] as readonly DeliveryState[]).includes(state);

/** What is asked before something is done. */
interface Question {
  /** In words, such as `delivery 7` or `12 parked deliveries`. */
  readonly what: string;
  readonly count: number;
  /** Those that are meant; none if the handler is. */
  readonly states: readonly DeliveryState[];
  readonly filter?: DeliveryFilter;
  /** What is left out. */
  readonly note?: string;
}

/** A button for each change that deliveries of these states allow. It leads to the question. */
export const ChangeButtons = (shown: {
  readonly states: readonly DeliveryState[];
  /** What is meant, in words. */
  readonly what?: string;
  /** Of which form they are. */
  readonly form?: string;
}) => (
  <>
    {(['replay', 'discard'] as const)
      .filter((kind) => shown.states.some((state) => isAble(kind, state)))
      .map((kind) => (
        <button form={shown.form} name="ask" value={kind} class={kind === 'discard' ? 'bad' : ''}>
          {VERBS[kind]}
          {shown.what && <span class="chosen">{shown.what}</span>}…
        </button>
      ))}
  </>
);

/** The question of a place, as a dialog above the page. */
export async function questionOf(look: Look, shown: readonly number[]) {
  const { place } = look;
  if (place.ask === undefined) return null;
  const question =
    place.ask === 'pause' || place.ask === 'resume'
      ? { what: 'the handler', count: 1, states: [] }
      : await questionOfChange(
          look,
          place.ask,
          place.text === undefined ? place.chosen : (place.chosen ?? shown),
        );
  return <Dialog look={look} kind={place.ask} question={question} />;
}

/** @param chosen undefined for all that the place lists */
function questionOfChange(
  look: Look,
  kind: ChangeKind,
  chosen: readonly number[] | undefined,
): Promise<Question> {
  return chosen === undefined ? questionOfAll(look, kind) : questionOfSome(look, kind, chosen);
}

/** Counts what a place lists. Handled deliveries have had their effect: whoever wants it again chooses them. */
async function questionOfAll({ inbox, place, times }: Look, kind: ChangeKind): Promise<Question> {
  const asked = place.state === undefined ? CHANGED_UNASKED[kind] : [place.state].flat();
  const able = asked.filter((state) => isAble(kind, state));
  const [newest] = await inbox.list({}, { order: 'newest first', limit: 1 });
  // What arrives from now on isn't part of it.
  const lastId = Math.min(place.lastId ?? Infinity, newest?.id ?? 1);
  const filter = { ...filterOf(place), state: able, ...(place.ids === undefined && { lastId }) };
  const counts = able.length === 0 ? undefined : await inbox.count(filter);
  const states = able.filter((state) => counts?.[state]);
  const numbers = states.map((state) => `${words.count(counts![state])} ${state}`);
  const total = states.reduce((sum, state) => sum + counts![state], 0);
  const noun = total === 1 ? 'delivery' : 'deliveries';
  return {
    what:
      total === 0
        ? wordsOf(place, times)
        : [numbers.join(' and '), noun, ...limitsOf(place, times).map((limit) => limit.words)].join(' '),
    count: total,
    states,
    filter,
    ...(place.state === undefined && {
      note:
        kind === 'replay'
          ? 'Handled ones are left out: choose handled to replay them.'
          : 'Only parked ones can be discarded.',
    }),
  };
}

/** Deliveries that somebody has chosen one by one, or that a search has found. */
async function questionOfSome(
  { inbox, place }: Look,
  kind: ChangeKind,
  ids: readonly number[],
): Promise<Question> {
  const found =
    ids.length === 0 ? [] : await inbox.list({ ids }, { order: 'newest first', limit: ids.length });
  const able = found.filter(({ state }) => isAble(kind, state));
  const states = [...new Set(able.map(({ state }) => state))];
  const left = ids.length - able.length;
  const how = place.chosen === undefined ? 'shown' : 'selected';
  const noun = able.length === 1 ? 'delivery' : 'deliveries';
  return {
    what:
      ids.length === 1
        ? `delivery ${ids[0]!}`
        : `${words.count(able.length)} ${how} ${noun} (${states.join(', ')})`,
    count: able.length,
    states,
    // As long as they have such a state.
    filter: { state: states, ids: able.map(({ id }) => id) },
    ...(left > 0 && ids.length > 1 && { note: `${words.deliveries(left)} of these cannot be ${kind}ed.` }),
  };
}

function Dialog(shown: {
  readonly look: Look;
  readonly kind: keyof typeof VERBS;
  readonly question: Question;
}) {
  const { look, kind, question } = shown;
  const { place, facts, operator, isSignedIn } = look;
  const { what, count, states, filter, note } = question;
  const isDiscard = kind === 'discard';
  const repeats = states.includes('handled');
  // One that fails may be replayed without a thought.
  const isHarmless = count === 1 && !isDiscard && !repeats;
  const cancel = (
    <a class="button end" id="cancel" href={addressOf(quietOf(place))} autofocus={!isHarmless}>
      {count === 0 ? 'Close' : 'Cancel'}
    </a>
  );
  return (
    <dialog open aria-labelledby="question">
      <form method="post" action="./" class="stack">
        <h2 id="question">
          {VERBS[kind]} {what}?
        </h2>
        {count === 0 ? (
          <p>
            {stateOf(place) === undefined
              ? 'There is nothing'
              : `What is ${stateOf(place)!} cannot be, or there is nothing`}{' '}
            to {kind}.
          </p>
        ) : (
          <>
            <p>
              Receiver: <strong>{facts.name}</strong>
            </p>
            {isDiscard && (
              <p>
                <strong>This can't be undone.</strong> The header fields and the content are deleted for good.
                The error and your reason are kept.
              </p>
            )}
            {kind === 'replay' && (
              <p>
                The handler gets {count === 1 ? 'it' : 'them'} again, with all attempts.{' '}
                {repeats && <strong>What it has handled, it handles again.</strong>}
              </p>
            )}
            {note && <p class="note">{note}</p>}
            {isSignedIn ? (
              <p>
                You:{' '}
                <strong>
                  <Own text={operator} />
                </strong>
              </p>
            ) : (
              <label>
                Your name
                <input name="operator" maxLength={MAX_NAME} value={operator} />
              </label>
            )}
            <label>
              Reason{isDiscard ? ', kept with the delivery' : ''}
              <input
                name="reason"
                required={isDiscard}
                pattern=".*\S.*"
                maxLength={1_000}
                autoComplete="off"
              />
            </label>
            <input type="hidden" name="kind" value={kind} />
            <input type="hidden" name="filter" value={JSON.stringify(filter ?? {})} />
            <input type="hidden" name="back" value={addressOf(quietOf(place))} />
          </>
        )}
        <p class="row">
          {cancel}
          {count > 0 && (
            <button class={isDiscard ? 'primary bad' : 'primary'} autofocus={isHarmless}>
              {VERBS[kind]}
              {count > 1 ? ` ${words.count(count)}` : ''}
            </button>
          )}
        </p>
      </form>
    </dialog>
  );
}
