import { modulePath } from '../config/handler-source.js';
import { ReceiverError } from '../errors.js';
import { DescribedError, errorText } from '../logging/describe-error.js';

/** Longest message of an error, in UTF-16 code units. */
const MAX_TEXT = 1_000;

/** Where something was thrown, in a stack. That of an import that fails begins with the file that imports. */
const PLACE = /^(?: {4}at (?:async |[^(]*\()?)?(?:file:|\/|[A-Z]:\\).*:\d+\)?$/;

const INJECTION =
  ' What it injects must be among the providers of the HandlerModule that it exports, or exported by a module that is imported there; an interface cannot be injected.';

/**
 * Describes why the team's handler can't start: in one sentence, with what to do, and where in its code.
 *
 * @param error what was thrown while its modules were loaded, or its providers created
 * @param source what HANDLER names
 */
export function handlerFault(error: unknown, source: string): ReceiverError {
  if (error instanceof ReceiverError) return error;
  const chain = new DescribedError(error).errors;
  const place =
    chain.flatMap(placesIn).find((line) => !/node_modules|node:/.test(line)) ?? howToSee(error, source);
  const said = chain.map(sentence).join(': ');
  const advice = `Fix ${source}, or what it imports.${said.startsWith('Nest ') ? INJECTION : ''}`;
  const message = `The handler cannot start: ${said}. ${advice}`;
  const lines = place === undefined ? [message] : [message, `  ${place.trim()}`];
  return new ReceiverError('HANDLER_UNUSABLE', lines.join('\n'), { cause: error });
}

/** A module that can't be parsed has its place only where Node.js prints it. Nothing of the module runs then. */
const howToSee = (error: unknown, source: string): string | undefined =>
  error instanceof SyntaxError ? `For the line: node "${modulePath(source)}"` : undefined;

/** The first paragraph of a message. */
function sentence(error: unknown): string {
  const message = error instanceof Error ? error.message : '';
  const [first = ''] = message.trim().split('\n\n', 1);
  return first.replaceAll(/\s+/g, ' ').replace(/\.$/, '').slice(0, MAX_TEXT) || errorText(error);
}

function placesIn(error: unknown): string[] {
  return error instanceof Error ? (error.stack ?? '').split('\n').filter((line) => PLACE.test(line)) : [];
}
