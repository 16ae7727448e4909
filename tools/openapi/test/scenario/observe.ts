import type { QuestionId } from '@plant-store/contract';
import type { Seen } from './observations.js';
import { observeDocument, type ObservedDocument } from './documents.js';
import { examplesOf } from '@plant-store/example-answers';
import { observeReceiver } from './receiver.js';
import { observeSender } from './sender.js';
import { observeTypes } from './types.js';

/** Everything that is seen under a set of answers. */
export type Observed = Seen & ObservedDocument;

/** Observes the built software under the example answers to each of these lists of questions. */
export async function observeAll(scenarios: readonly (readonly QuestionId[])[]): Promise<Observed[]> {
  const types = observeTypes(scenarios);
  const observed: Observed[] = [];
  for (const [index, answered] of scenarios.entries()) {
    const answers = examplesOf(answered);
    observed.push({
      receiver: await observeReceiver(answers),
      sender: await observeSender(answers),
      types: types[index]!,
      ...(await observeDocument(answers)),
    });
  }
  return observed;
}
