/** Preloaded with `node --import`: the contract then has one answer, and a repeated event is recognised by a field. */
import '@plant-store/test-support/everything-open';

const { answers } = await import(new URL('../../../libs/contract/dist/answers.js', import.meta.url).href);
answers['event-identity'] = { is: { header: 'webhook-id' }, who: 'test', on: '2026-01-31', why: 'test' };
