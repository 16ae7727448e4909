import { copyInbox } from '../../../test/copy-inbox.js';
import { inboxSuite } from '../../../test/inbox.suite.js';
import { openEmbedded } from '../../../test/open-inbox.js';

inboxSuite('the embedded inbox', { open: openEmbedded, crash: copyInbox });
