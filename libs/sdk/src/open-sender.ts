import { AbortFanOut } from './delivery/abort-fan-out.js';
import { acknowledges } from './delivery/acknowledges.js';
import type { Answer } from './delivery/answer.js';
import { createAuthorizer } from './delivery/authorizer.js';
import { createClocks } from './delivery/clock.js';
import { answerExplainer } from './delivery/explain-answer.js';
import { InFlight } from './delivery/in-flight.js';
import { sendingInAttempts } from './delivery/sending-in-attempts.js';
import { type Sending, sendingOnce } from './delivery/sending-once.js';
import { openTransport } from './delivery/transport.js';
import { PlantStoreError } from './errors/plant-store-error.js';
import type { UncheckedSendOptions } from './new-plant-sender.js';
import type { Settings } from './options/resolve-settings.js';

/** A sender whose options are settled; those of each `send` are not checked yet. */
export interface OpenSender<Plant> {
  send(plant: Plant, options?: UncheckedSendOptions): Promise<Answer>;
  close(): Promise<void>;
}

/** Opens a sender whose options are settled. */
export function openSender<Plant>(settings: Settings<Plant>): OpenSender<Plant> {
  const { answered, attemptTimeout, maxAnswerBytes, retry, target, totalTimeout } = settings;
  const transport = openTransport(settings);
  const clocks = createClocks(attemptTimeout, totalTimeout);
  const inFlight = new InFlight();
  const sending: Sending<Plant> = {
    encode: settings.encode,
    authorize: createAuthorizer(settings.accessToken, settings.syntax, clocks),
    transport,
    context: {
      url: target.url,
      maxAnswerBytes,
      acknowledges: acknowledges(answered.acknowledgedStatus),
      explain: answerExplainer(answered),
      aborts: new AbortFanOut(),
      onSettled: () => inFlight.leave(),
    },
  };
  const begin =
    retry === undefined && answered.rateLimit === undefined
      ? sendingOnce(sending)
      : sendingInAttempts(sending, clocks.total, retry, answered.rateLimit);
  let closed: Promise<void> | undefined;

  function send(plant: Plant, options: UncheckedSendOptions = {}): Promise<Answer> {
    if (closed !== undefined) return Promise.reject(senderClosed());
    return new Promise((resolve, reject) => {
      inFlight.enter();
      try {
        begin(plant, options, resolve, reject);
      } catch (error) {
        inFlight.leave();
        throw error;
      }
    });
  }

  async function close(): Promise<void> {
    await inFlight.none();
    await transport.close();
  }

  return Object.freeze({ send, close: () => (closed ??= close()) });
}

function senderClosed(): PlantStoreError {
  return new PlantStoreError('PLANT_STORE_SENDER_CLOSED', 'The sender is closed.', { outcome: 'not-sent' });
}
