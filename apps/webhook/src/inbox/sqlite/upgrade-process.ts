/**
 * The process that upgrade.ts starts. It can be ended at any moment, which a thread can't while SQLite is at work in it. So
 * the work is in a thread of this process, too: this one is free to notice that the receiver has ended.
 */
import { Room } from '../store.js';
import { startThread } from './start-thread.js';

const [, , folder] = process.argv;

process.once('disconnect', () => process.kill(process.pid, 'SIGKILL'));

startThread({ folder: folder!, receiver: '', mode: 'upgrade', room: new Room().shared }).once(
  'message',
  (response) => process.send!(response, () => process.exit()),
);
