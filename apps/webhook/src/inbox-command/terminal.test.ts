import { InnerProcess } from '../../test/run-plant-inbox.js';
import { Terminal } from './terminal.js';

test('a terminal that does not know its width, such as that of a container, gets whole lines', () => {
  expect(new Terminal(new InnerProcess({ columns: 0 })).table([['arbitrary']])).toBe('arbitrary\n');
});
