import { changeDeliveries, type Choice, choiceOf, mustAsk } from './change-deliveries.js';
import { type Command, wrongUsage } from './command-line.js';
import { ABOUT_TIMES, FILTERS } from './selection.js';
import { asksPeople } from './terminal/confirm.js';

/** The longest reason that is kept, in characters. */
const MAX_REASON = 1_000;

export const discard: Command = {
  operands: '[ID…]',
  summary: 'Deletes the content of parked deliveries, and keeps the reason.',
  details: `Name deliveries by id, or select them with options. Deliveries that aren't parked
are left out. On a terminal you are asked first. Elsewhere, more than one delivery
needs --yes.

${ABOUT_TIMES}`,
  options: ['reason', 'yes', 'all-parked', ...FILTERS, 'json'],
  async run(given) {
    const reason = given.value('reason');
    if (reason === undefined) throw wrongUsage('discard needs --reason TEXT');
    if (reason.trim() === '' || reason.length > MAX_REASON)
      throw wrongUsage(`--reason must have from 1 to ${MAX_REASON} characters`);
    const choice = onlyParked(choiceOf(given));
    const isOne = 'ids' in choice && choice.ids.length === 1;
    const isAsked = (asksPeople() || !isOne) && mustAsk(given, 'more than one delivery is only discarded');
    return changeDeliveries(given, choice, {
      doing: 'Discarding',
      done: 'discarded',
      change: (operations, batch) => operations.discard(batch, reason),
      whyNot: ({ state }) =>
        state === 'discarded' ? 'it was discarded before' : `it is ${state}, not parked`,
      question: isAsked ? (what) => `Delete the content of ${what}? It can't be restored.` : undefined,
    });
  },
};

function onlyParked(choice: Choice): Choice {
  if ('ids' in choice) return choice;
  const { state = 'parked' } = choice.filter;
  if (state !== 'parked') throw wrongUsage(`only parked deliveries can be discarded, not --state ${state}`);
  return { filter: { ...choice.filter, state } };
}
