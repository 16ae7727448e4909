import { changeDeliveries, choiceOf, mustAsk } from './change-deliveries.js';
import { type Command, wrongUsage } from './command-line.js';
import { ABOUT_TIMES, FILTERS } from './selection.js';

export const replay: Command = {
  operands: '[ID…]',
  summary: 'Passes deliveries to the handler again, as if they had never failed.',
  details: `Name deliveries by id, or select them with --all-parked or with --state and other
options. Discarded ones, and those that the handler has at the moment, are left out.
With --state handled, the handler handles them again: on a terminal you are asked
first, and elsewhere it needs --yes.

${ABOUT_TIMES}`,
  options: ['yes', 'all-parked', ...FILTERS, 'json'],
  async run(given) {
    const choice = choiceOf(given);
    // Handled deliveries have had their effect. Whoever wants it again says so.
    if ('filter' in choice && choice.filter.state === undefined)
      throw wrongUsage('replay needs --all-parked or --state with a selection');
    const state = 'filter' in choice ? choice.filter.state : undefined;
    if (state === 'discarded') throw wrongUsage('discarded deliveries cannot be replayed: they are deleted');
    const isAsked = state === 'handled' && mustAsk(given, 'handled deliveries are only replayed');
    return changeDeliveries(given, choice, {
      doing: 'Replaying',
      done: 'replayed',
      question: isAsked ? (what) => `Replay ${what}? The handler handles them again.` : undefined,
      change: (operations, batch) => operations.replay(batch),
      whyNot: ({ state }) =>
        state === 'discarded' ? 'it was discarded' : 'the handler has it, or gets it next',
    });
  },
};
