import { unless } from './unless.js';

/** The name of a field (RFC 9110 §5.1). */
const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/** Fields that frame or describe a request, that are no one value, or that OpenAPI leaves out (3.1.0 §4.8.12.2). */
const RESERVED = [
  'accept',
  'authorization',
  'connection',
  'content-encoding',
  'content-length',
  'content-type',
  'expect',
  'host',
  'keep-alive',
  'set-cookie',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
];

/** What is wrong with a field as the place of an answer. */
export function headerFaults(name: string): string[] {
  return [
    ...unless(NAME.test(name), `has a header whose name is none: ${name}`),
    ...unless(!RESERVED.includes(name.toLowerCase()), `uses the header ${name}, which is taken`),
  ];
}
