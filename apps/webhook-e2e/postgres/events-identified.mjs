/** Preloaded with `node --import`: the contract then has one answer, and a repeated event is recognised by a field. */
import '@plant-store/test-support/everything-open';

const { answers } = await import(new URL('../../../libs/contract/dist/answers.js', import.meta.url).href);
answers['event-identity'] = { header: 'webhook-id' };
