import { hash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import type { RelayOptions } from '@plant-store/sdk/outbox';
import { BadInput, type CommandContext } from '../context.js';
import { type Prepared, prepareSender } from '../send/prepare-sender.js';
import type { SenderValues } from '../send/sender-options.js';
import type { Log } from './relay-log.js';

/** A sender that is made anew when a file of its options changes: access token, signing key, certificates. */
export interface RenewedSender {
  readonly sender: RelayOptions['sender'];
  /** The address to which it sends. */
  readonly url: string;
  /** Ends what is being sent. */
  readonly cutOff: () => void;
  readonly close: () => Promise<unknown>;
}

/**
 * How often the files are looked at, in milliseconds. That also notices a symbolic link that was replaced. They are read
 * again once they are the same at two looks, because they may be written one after the other, or in parts.
 */
const INTERVAL = 1_000;

/**
 * Opens a sender. If a file has changed so that it can't be used, the sender from before stays.
 *
 * @throws BadInput with every fault
 */
export async function openRenewedSender(
  values: SenderValues,
  context: CommandContext,
  faults: string[],
  log: Log,
): Promise<RenewedSender> {
  const encode = (): never => {
    throw new TypeError('A relay sends what is encoded.');
  };
  const files = filesOf(values, context);
  let seen = versionsOf(files);
  let used = seen;
  let current = await prepareSender<unknown>(values, context, encode, faults);
  const open = new Set<Prepared<unknown>>([current]);
  const { url } = current.settings.target;

  const renew = async (): Promise<void> => {
    const before = seen;
    seen = versionsOf(files);
    if (seen === used || seen !== before) return;
    used = seen;
    try {
      const replaced = current;
      current = await prepareSender<unknown>(values, context, encode, []);
      open.add(current);
      log('info', 'files changed: the sender was made anew', { files });
      // What it is sending may take days, if the answer to the question retry has such delays.
      replaced.close().then(
        () => open.delete(replaced),
        () => {},
      );
    } catch (error) {
      const reason = error instanceof BadInput ? error.faults.join(' ') : String(error);
      log('error', 'files changed, and can not be used: what was read before stays', { files, reason });
    }
  };
  let renewing: Promise<void> | undefined;
  const timer = setInterval(() => {
    renewing ??= renew().finally(() => (renewing = undefined));
  }, INTERVAL);

  return {
    url,
    sender: { sendEncoded: (encoded) => current.sender.sendEncoded(encoded) },
    cutOff: () => open.forEach(({ sender }) => void sender.close({ force: true })),
    close: () => {
      clearInterval(timer);
      return Promise.all([...open].map((prepared) => prepared.close()));
    },
  };
}

/** The files that the options and the environment name. */
function filesOf(values: SenderValues, { environment, given }: CommandContext): string[] {
  const secret = (option: string | undefined, variable: string): string | undefined =>
    option ?? (environment[variable] ? undefined : environment[`${variable}_FILE`]);
  const all = [
    secret(values.accessTokenFile, 'ACCESS_TOKEN'),
    given.signing && secret(values.signingKeyFile, 'PLANT_STORE_SIGNING_KEY'),
    values.ca,
    values.cert,
    values.key,
  ];
  return all.filter((file) => file !== undefined && file !== '') as string[];
}

/** Changes when the content of a file does. What is no file, such as a named pipe, can be read once only. */
function versionsOf(files: readonly string[]): string {
  return files.map((file) => versionOf(file)).join();
}

function versionOf(file: string): string {
  try {
    return statSync(file).isFile() ? hash('sha256', readFileSync(file)) : '';
  } catch (error) {
    return String((error as NodeJS.ErrnoException).code);
  }
}
