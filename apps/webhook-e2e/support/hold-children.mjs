// Preloaded into a receiver: the processes that it starts stand still.
import { subscribe } from 'node:diagnostics_channel';

subscribe('child_process', ({ process: child }) => child.once('spawn', () => child.kill('SIGSTOP')));
