/**
 * How the names of settings begin. A variable that begins so and is no setting is probably misspelt. Prefixes that
 * other programs use (`HOST`, `PORT`, `LOG_`, `ACCESS_TOKEN`, which `plant-store` reads) aren't here.
 */
const PREFIXES = [
  'ACCESS_TOKENS',
  'EVENT_RETENTION',
  'HANDLER',
  'INBOX_',
  'KEEP_ALIVE_',
  'MAX_CONNECTIONS',
  'MAX_CONTENT',
  'OPERATIONS_',
  'OPERATOR_',
  'RECEIVER_NAME',
  'REQUEST_TIMEOUT',
  'RETENTION_',
  'SHUTDOWN_',
  'SIGNING_KEYS',
];

/** Kubernetes sets such variables for a service that is called `inbox`, say. */
const OF_A_SERVICE = /_(?:SERVICE_HOST|SERVICE_PORT|PORT)(?:_\w+)?$/;

/**
 * Finds variables that look like misspelt settings, such as `HANDLER_CONCURENCY`.
 *
 * @returns a line for each, with the nearest setting and without the value
 */
export function describeUnknownVariables(
  environment: Readonly<Record<string, string | undefined>>,
  settings: readonly string[],
): string[] {
  return Object.keys(environment)
    .filter((name) => PREFIXES.some((prefix) => name.startsWith(prefix)))
    .filter((name) => !settings.includes(name) && !OF_A_SERVICE.test(name))
    .sort()
    .map((name) => `${name}: is not a setting and has no effect; did you mean ${nearest(name, settings)}?`);
}

/** The name that is most like another one. */
export function nearest(name: string, settings: readonly string[]): string {
  const distances = settings.map((setting) => distance(name, setting));
  return settings[distances.indexOf(Math.min(...distances))] as string;
}

/** How many characters have to be inserted, removed or replaced to make one text the other (Levenshtein). */
function distance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, column) => column);
  for (let index = 0; index < one.length; index += 1) {
    const next = [index + 1];
    for (let column = 0; column < other.length; column += 1) {
      const replaced = (row[column] as number) + (one[index] === other[column] ? 0 : 1);
      next.push(Math.min(replaced, (row[column + 1] as number) + 1, (next[column] as number) + 1));
    }
    row = next;
  }
  return row[other.length] as number;
}
