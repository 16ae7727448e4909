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
 * @returns a line for each, without the value
 */
export function describeUnknownVariables(
  environment: Readonly<Record<string, string | undefined>>,
  settings: readonly string[],
): string[] {
  return Object.keys(environment)
    .filter((name) => PREFIXES.some((prefix) => name.startsWith(prefix)))
    .filter((name) => !settings.includes(name) && !OF_A_SERVICE.test(name))
    .sort()
    .map((name) => `${name}: is not a setting and has no effect; docs/reference/settings.md has their names`);
}
