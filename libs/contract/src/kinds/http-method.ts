import * as v from 'valibot';
import { CONTENT_METHODS } from '../standards.js';
import { kind, listOf } from './kind.js';

export const httpMethod = kind('http-method', v.picklist(CONTENT_METHODS), {
  inWords: (method) => method,
  example: 'PUT',
  more: { post: 'POST' },
  effects: {
    'receiver.refuses-method': ['breaking', (method) => `Takes ${method} only; other methods get 405.`],
    'sender.sends-method': [
      'info',
      (method) => `Sends ${method} unless the caller passes another \`method\`.`,
    ],
  },
  fails: (from, to) => {
    if (to === undefined || from === to) return undefined;
    const sent = from === undefined ? CONTENT_METHODS.filter((method) => method !== to) : [from];
    return `${listOf(sent)} ${sent.length === 1 ? 'gets' : 'get'} 405`;
  },
  step: (before) => (before === undefined ? 'minor' : 'major'),
  transition: (before) => `With \`stillAccepted\`, new receivers take ${before} too: then receivers first.`,
  shows: {
    receiver: { 'sent with POST': 'refused with 405' },
    sender: { 'without `method`': 'PUT' },
    types: { 'without `method`': 'compiles' },
  },
});
