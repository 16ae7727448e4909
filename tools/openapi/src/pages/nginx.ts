import { type Answers, executableOf, facts } from '@plant-store/contract';
import type { Compared } from '../repository.js';

/** The configurations of deploy/. They state what an answer can change, and nothing else there does. */
export const NGINX_FILES = ['deploy/nginx.conf', 'deploy/nginx-two-receivers.conf'];

/** How long nginx waits at least for the next part of a request or a response, in seconds. */
const LEAST_TIMEOUT = 60;

/** A configuration with the delivery path and the time-outs under these answers. The rest stays as it is. */
export function renderNginx(text: string, answers: Compared['answers']): string {
  const { 'request-versioning': version, 'time-outs': times } = executableOf(answers as Answers);
  const prefix = version !== undefined && 'pathPrefix' in version ? version.pathPrefix : '';
  // nginx waits longer than receiver and sender do, so that their time-outs come first.
  const longest = Math.max(times?.delivery ?? 0, times?.response ?? 0);
  const seconds = Math.max(LEAST_TIMEOUT, 2 * Math.ceil(longest / 1_000));
  return text
    .replace(/(?<=^ *location = ).*(?= \{$)/gm, () => `${prefix}${facts.DELIVERY_PATH}`)
    .replace(/(?<=^ *(?:client_body|proxy_send|proxy_read)_timeout )\d+s/gm, `${seconds}s`);
}
