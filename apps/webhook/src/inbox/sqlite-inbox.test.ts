import { inboxSuite } from './inbox.suite.js';
import { openSqliteInbox } from './sqlite-inbox.js';

inboxSuite('the embedded inbox', openSqliteInbox);
