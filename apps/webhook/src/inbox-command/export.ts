import { existsSync, statSync } from 'node:fs';

import { deliveries, inBatches } from './batches.js';
import { type Command, type Given, wrongUsage } from './command-line.js';
import { openOperations } from './connection/open-operations.js';
import { deliveryJson } from './delivery-text.js';
import { ABOUT_TIMES, filterOf, FILTERS } from './selection.js';
import { createFile, report, standardOutput } from './terminal/output.js';
import { jsonLine } from './terminal/printable.js';

export const exportDeliveries: Command = {
  operands: '[FILE]',
  summary: 'Writes deliveries to a new file, or prints them, as JSON.',
  details: `Each line is one delivery with its content, in base64. The receiver may be running:
what it accepts meanwhile is left out.

${ABOUT_TIMES}`,
  options: [...FILTERS],
  async run(given) {
    const file = fileOf('export', given);
    const filter = filterOf(given);
    const { operations, close } = await openOperations(given.inbox);
    try {
      const output = file === undefined ? standardOutput : await createFile(file);
      const work = {
        doing: 'Exporting',
        done: 'exported',
        ...(file === undefined ? {} : { leaves: `${file} is partial.` }),
      };
      const count = await inBatches(operations, filter, work, async (batch) => {
        const { deliveries: found, next } = await operations.read(batch);
        await output.write(found.map((delivery) => jsonLine(deliveryJson(delivery))).join(''));
        return { count: found.length, next };
      });
      await output.close();
      report(`${deliveries(count)} exported.`);
      return 0;
    } finally {
      await close();
    }
  },
};

/**
 * The file that a command is given.
 *
 * @throws CommandError if there are several, or if it is a folder, which is probably meant for --inbox
 */
export function fileOf(name: string, { operands }: Given): string | undefined {
  const [file, ...more] = operands;
  const folder = operands.find((operand) => existsSync(operand) && statSync(operand).isDirectory());
  if (folder !== undefined) throw wrongUsage(`${folder} is a folder: name the inbox with --inbox ${folder}`);
  if (more.length > 0) throw wrongUsage(`${name} takes one file; name the inbox with --inbox`);
  return file;
}
