const CONTENT = 'Sample content. It is arbitrary: the fields of a plant are an open question.';

/**
 * The command that sends one delivery to a receiver.
 *
 * @param {string} baseUrl
 * @param {NodeJS.ProcessEnv} environment of the receiver
 */
export function sendLine(baseUrl, { ACCESS_TOKENS_FILE }) {
  const [assignment, option] = ACCESS_TOKENS_FILE
    ? ['', ` --access-token-file ${ACCESS_TOKENS_FILE}`]
    : ['ACCESS_TOKEN=<one of ACCESS_TOKENS> ', ''];
  return `echo '${CONTENT}' | ${assignment}npx plant-store send - --base-url ${baseUrl} --method POST --content-type text/plain${option}`;
}
