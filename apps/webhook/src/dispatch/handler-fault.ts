import { modulePath, shownSource } from '../config/handler-source.js';
import { ReceiverError } from '../errors.js';
import { DescribedError } from '../logging/describe-error.js';

/** Where something was thrown, in a stack. */
const PLACE = /^(?: {4}at |file:|\/|[A-Z]:\\).*:\d+\)?$/;

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
  const { type, message, stack } = new DescribedError(error);
  const [, ...places] = stack?.split('\n') ?? [];
  // A module that can't be parsed has its place only where Node.js prints it. Nothing of the module runs then.
  const howToSee = type === 'SyntaxError' ? `For the line: node "${modulePath(source)}"` : undefined;
  const place = places.find((line) => PLACE.test(line) && !/node_modules|node:/.test(line)) ?? howToSee;
  const [first = ''] = message.trim().split('\n\n', 1);
  const said = first.replaceAll(/\s+/g, ' ').replace(/\.$/, '') || type;
  const advice = `Fix ${shownSource(source)}, or what it imports.${said.startsWith('Nest ') ? INJECTION : ''}`;
  const sentence = `The handler cannot start: ${said}. ${advice}`;
  const lines = place === undefined ? [sentence] : [sentence, `  ${place.trim()}`];
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
