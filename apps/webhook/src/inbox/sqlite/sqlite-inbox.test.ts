import { join } from 'node:path';

import { copyInbox } from '../../../test/copy-inbox.js';
import { inboxSuite } from '../../../test/inbox.suite.js';
import { openEmbedded, runSql } from '../../../test/open-inbox.js';

inboxSuite('the embedded inbox', {
  open: openEmbedded,
  crash: copyInbox,
  refuseArrivals: `CREATE TRIGGER refuse BEFORE INSERT ON delivery BEGIN SELECT RAISE(ABORT, 'no arrivals'); END`,
  sql: (folder, text) => runSql(join(folder, 'inbox.sqlite'), text),
});
