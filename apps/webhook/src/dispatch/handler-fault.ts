import { modulePath, shownSource } from '../config/handler-source.js';
import { ReceiverError } from '../errors.js';
import { DescribedError, type Link } from '../logging/describe-error.js';

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
  if (isReceiverError(error)) return error;
  const { chain } = new DescribedError(error);
  const place =
    chain.flatMap(placesIn).find((line) => !/node_modules|node:/.test(line)) ?? howToSee(chain[0]!, source);
  const said = chain.map(sentence).join(': ');
  const advice = `Fix ${shownSource(source)}, or what it imports.${said.startsWith('Nest ') ? INJECTION : ''}`;
  const message = `The handler cannot start: ${said}. ${advice}`;
  const lines = place === undefined ? [message] : [message, `  ${place.trim()}`];
  return new ReceiverError('HANDLER_UNUSABLE', lines.join('\n'), { cause: error });
}

function isReceiverError(error: unknown): error is ReceiverError {
  try {
    return error instanceof ReceiverError;
  } catch {
    // What a team's module throws may throw itself when it is asked for its class.
    return false;
  }
}

/** A module that can't be parsed has its place only where Node.js prints it. Nothing of the module runs then. */
const howToSee = ({ type }: Link, source: string): string | undefined =>
  type === 'SyntaxError' ? `For the line: node "${modulePath(source)}"` : undefined;

/** The first paragraph of a message. */
function sentence({ message, text }: Link): string {
  const [first = ''] = message.trim().split('\n\n', 1);
  return first.replaceAll(/\s+/g, ' ').replace(/\.$/, '') || text;
}

const placesIn = ({ origin, frames }: Link): string[] =>
  [...origin.split('\n'), ...frames].filter((line) => PLACE.test(line));
