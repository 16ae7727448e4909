import { faultOf } from './command-line.js';

test.each([
  ['the value of an unknown option', "error: unknown option '--tokn=s3cret'", "unknown option '--tokn'"],
  [
    'that of one that is misspelt',
    "error: unknown option '--tokn=s3cret'\n(Did you mean --token?)",
    "unknown option '--tokn' (Did you mean --token?)",
  ],
  [
    'an argument',
    "error: command-argument value 'x' is invalid for argument 'id'. It must be a number.",
    "id 'x' is invalid. It must be a number.",
  ],
  ['an option', "error: required option '--reason <text>' not specified", '--reason is missing.'],
  ['several lines', "error: unknown command 'a\nb'\n", "unknown command 'a b'"],
])('a fault of a command line is one line, in our words: %s', (_name, message, fault) => {
  expect(faultOf(message)).toBe(fault);
});
