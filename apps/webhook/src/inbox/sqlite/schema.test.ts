import Database from 'libsql';

import { statementsFor } from '../statements.js';
import { SCHEMA } from './schema.js';
import { DIALECT } from './sqlite-store.js';

const statements = statementsFor(DIALECT);

test.each([
  ['claim', statements.claim('a', 1, 1), 'delivery_due (state=? AND due_at<?)'],
  ['nextDue', statements.nextDue(), 'delivery_due (state=?)'],
  ['makeDue', statements.makeDue(1), 'delivery_due (state=? AND due_at>?)'],
  ['retrying', statements.retrying(), 'delivery_retrying (state=?)'],
  ['errorGroups', statements.errorGroups(), 'delivery_retrying (state=?)'],
  [
    'list of an error',
    statements.list({ errorGroup: 'a' }, { order: 'newest first', limit: 1 }),
    'delivery_by_error (error_group=?)',
  ],
])('%s reads no more than it needs', (_name, { text, values }, index) => {
  const database = new Database(':memory:');
  database.exec(SCHEMA);
  const plan = database
    .prepare(`EXPLAIN QUERY PLAN ${text.replaceAll(/\$(?=\d)/g, '?')}`)
    .all([...values]) as { detail: string }[];
  database.close();

  expect(plan.map(({ detail }) => detail).join('\n')).toContain(index);
});
