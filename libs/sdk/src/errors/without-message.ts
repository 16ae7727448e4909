import { isNativeError } from 'node:util/types';

/** The codes of Node's and undici's errors. */
const codePattern = /^(?:E[A-Z0-9]{2,}|EAI_[A-Z]+|(?:UND_)?ERR_[A-Z0-9_]+)$/;
const namePattern = /^[A-Za-z]\w*Error$/;
const framePattern = /^ +at .+/;

/**
 * An error with the class, the code and the stack of what was thrown, and nothing else of it. Its message and its other
 * properties may contain a secret.
 */
export function withoutMessage(thrown: unknown): Error {
  let described = 'Something';
  let frames: readonly string[] = [];
  try {
    if (isNativeError(thrown)) {
      described = describe(thrown);
      frames = framesOf(thrown);
    }
  } catch {
    // A getter of it throws. What was read before is enough.
  }
  const error = new Error(
    `${described} was thrown. Its message is left out: it may contain the access token.`,
  );
  error.stack = [`Error: ${error.message}`, ...frames].join('\n');
  return error;
}

function describe(error: Error & { readonly code?: unknown }): string {
  const { name } = error.constructor;
  const type = namePattern.test(name) ? name : 'Error';
  return typeof error.code === 'string' && codePattern.test(error.code) ? `${type} (${error.code})` : type;
}

/** The lines of the stack behind the message, which may itself have several lines. */
function framesOf({ message, stack = '' }: Error): readonly string[] {
  const start = stack.indexOf(message);
  if (start === -1) return [];
  const [, ...lines] = stack.slice(start + message.length).split('\n');
  return lines.filter((line) => framePattern.test(line));
}
