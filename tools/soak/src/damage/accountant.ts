/** A process that accounts for damaged inboxes, one after the other: what is damaged may end it. */
import { loadOpenInbox, loadSalvage } from '../built-inbox.js';
import { accountFor, type Original } from './account.js';

/** An inbox to account for. */
export interface Task {
  readonly folder: string;
  readonly originals: readonly Original[];
}

const [openInbox, salvage] = await Promise.all([loadOpenInbox(), loadSalvage()]);

process.on('message', ({ folder, originals }: Task) => {
  void accountFor(folder, originals, openInbox, salvage).then((account) => process.send!(account));
});
