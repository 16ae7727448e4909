import type { InboxOperations } from '../inbox/inbox-operations.js';
import { deliveries } from './batches.js';
import { changeDeliveries, type Choice, choiceOf } from './change-deliveries.js';
import { type Command, wrongUsage } from './command-line.js';
import { newestOf } from './list.js';
import { ABOUT_TIMES, FILTERS } from './selection.js';
import { asksPeople, confirm } from './terminal/confirm.js';

/** The longest reason that is kept, in characters. */
const MAX_REASON = 1_000;

/** Most deliveries that are counted before somebody is asked. */
const MAX_COUNT = 10_000;

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
    if (!given.has('yes') && !asksPeople() && !isOne)
      throw wrongUsage('without a terminal to ask, more than one delivery is only discarded with --yes');
    return changeDeliveries(given, choice, {
      doing: 'Discarding',
      done: 'discarded',
      change: (operations, batch) => operations.discard(batch, reason),
      whyNot: ({ state }) =>
        state === 'discarded' ? 'it was discarded before' : `it is ${state}, not parked`,
      ...(given.has('yes') || !asksPeople() ? {} : { isWanted }),
    });
  },
};

function onlyParked(choice: Choice): Choice {
  if ('ids' in choice) return choice;
  const { state = 'parked' } = choice.filter;
  if (state !== 'parked') throw wrongUsage(`only parked deliveries can be discarded, not --state ${state}`);
  return { filter: { ...choice.filter, state } };
}

async function isWanted(choice: Choice, operations: InboxOperations): Promise<boolean> {
  const count =
    'ids' in choice ? choice.ids.length : (await newestOf(operations, choice.filter, MAX_COUNT + 1)).length;
  const most = count > MAX_COUNT ? `more than ${deliveries(MAX_COUNT)}` : deliveries(count);
  const what = 'ids' in choice && count === 1 ? `delivery ${choice.ids[0]}` : most;
  return confirm(`Delete the content of ${what}? It can't be restored.`);
}
