import { isInvalidOptions, type OptionFault } from '@plant-store/sdk';
import { resolveSettings, Sender, type Settings } from '@plant-store/sdk/internal';
import { BadInput, collectFaults, type CommandContext } from '../context.js';
import { readInputFile } from '../input.js';
import { inCommandWords, optionName, policyOf } from './failures.js';
import { proxyFor } from './proxy.js';
import { findSecret } from './secrets.js';
import { maxTimerDelay, type SenderValues } from './sender-options.js';

/** A sender with its settings. */
export interface Prepared<Plant> {
  readonly settings: Settings<Plant>;
  readonly sender: Sender<Plant>;
  /** Closes the sender, and the connections to a proxy. */
  readonly close: () => Promise<void>;
}

/**
 * Reads the secrets and files of the options, and opens a sender. It connects when it sends.
 *
 * @param encode Turns what is sent into content and media type.
 * @param faults What is wrong already. The faults found here are added.
 * @throws BadInput with every fault.
 */
export async function prepareSender<Plant>(
  values: SenderValues,
  context: CommandContext,
  encode: unknown,
  faults: string[],
): Promise<Prepared<Plant>> {
  const { given, environment, signal } = context;
  const { signing } = given;
  const { baseUrl, method, header, retry, attemptTimeout, connectTimeout, allowInsecureTransport } = values;
  const readPem = (option: 'ca' | 'cert' | 'key'): Promise<Buffer | undefined> =>
    collectFaults(faults, async () => {
      const path = values[option];
      return path === undefined ? undefined : readInputFile(`The file of --${option}`, path, signal);
    });
  const token = await collectFaults(faults, () =>
    findSecret('access token', 'ACCESS_TOKEN', values.accessTokenFile, context),
  );
  const key =
    signing &&
    (await collectFaults(faults, () =>
      findSecret('signing key', 'PLANT_STORE_SIGNING_KEY', values.signingKeyFile, context),
    ));
  const tls = { ca: await readPem('ca'), cert: await readPem('cert'), key: await readPem('key') };
  const options = {
    ...{ baseUrl, method, encode, attemptTimeout, connectTimeout, allowInsecureTransport, ...tls },
    maxConnections: values.concurrency,
    // That a secret is missing was said already.
    accessToken: token?.text ?? (() => ''),
    ...(signing && { signingKey: key?.text ?? (() => '') }),
    ...(header && { headers: () => header }),
    ...(retry !== undefined && { retry: policyOf(retry) }),
    totalTimeout: values.totalTimeout ?? (retry ? maxTimerDelay : undefined),
  };
  const settings = await collectFaults(faults, () => {
    try {
      return resolveSettings<Plant>(given, options);
    } catch (error) {
      if (!isInvalidOptions(error)) throw error;
      throw new BadInput(...error.faults.map((fault) => describe(fault, token?.source)));
    }
  });
  const proxy = await collectFaults(faults, () => settings && proxyFor(settings, environment));
  if (faults.length > 0 || settings === undefined) throw new BadInput(...faults);
  const sender = new Sender({ ...settings, dispatcher: proxy });
  const close = async (): Promise<void> => {
    await sender.close();
    await proxy?.end();
  };
  return { settings, sender, close };
}

/** A fault of a sender's option, with the names of the command line. */
function describe({ option, problem }: OptionFault, tokenSource: string | undefined): string {
  const name = option === 'accessToken' ? `The access token in ${tokenSource}` : optionName(option);
  return `${name} ${inCommandWords(problem)}`;
}
