import { CommandError, type Command, wrongUsage } from './command-line.js';
import { openOperations } from './connection/open-operations.js';
import { deliveryJson, headText } from './delivery-text.js';
import { idsIn } from './selection.js';
import { standardOutput, terminalWidth } from './terminal/output.js';
import { hexLines, jsonLine, printable, textOf } from './terminal/printable.js';

const FORMS = ['text', 'hex', 'raw', 'json'] as const;

export const show: Command = {
  operands: 'ID',
  summary: 'Shows a delivery: its state, header fields and content.',
  details: `The content is shown as text if it is UTF-8, or else in hexadecimal. Control
characters are shown as JSON writes them, such as \\u001b.`,
  options: [...FORMS],
  async run(given) {
    const [id, ...more] = idsIn(given.operands);
    if (id === undefined || more.length > 0) throw wrongUsage('show takes the id of one delivery');
    const [form, ...others] = FORMS.filter((name) => given.has(name));
    if (others.length > 0) throw wrongUsage(`--${form} and --${others[0]} exclude each other`);
    if (form === 'raw' && terminalWidth() !== undefined)
      throw wrongUsage('--raw writes to a file or a pipe, not to a terminal: add > FILE');
    const inbox = await openOperations(given.inbox);
    try {
      const delivery = await inbox.operations.find(id);
      if (delivery === undefined)
        throw new CommandError(`There is no delivery ${id}. It was deleted, or it never existed.`, 1);
      if (form === 'raw') await standardOutput.write(delivery.content);
      else if (form === 'json') await standardOutput.write(jsonLine(deliveryJson(delivery)));
      else {
        await standardOutput.write(headText(delivery));
        await writeContent(delivery.content, form);
      }
      return 0;
    } finally {
      await inbox.close();
    }
  },
};

async function writeContent(content: Uint8Array, form: 'text' | 'hex' | undefined): Promise<void> {
  if (content.length === 0) return;
  await standardOutput.write('\n');
  const text = form === 'text' ? new TextDecoder().decode(content) : textOf(content);
  if (form !== 'hex' && text !== undefined) {
    const shown = printable(text);
    return standardOutput.write(shown.endsWith('\n') ? shown : `${shown}\n`);
  }
  for (const line of hexLines(content)) await standardOutput.write(line);
}
