import type { AnswerValues } from '@plant-store/contract';
import type { AcknowledgedStatus, AnsweredOptions, EventOptions, PlantOf } from './answers/answered-types.js';
import type { EncodedPlant } from './encoders/plant-encoder.js';
import type { ReceiverResponse } from './errors/not-acknowledged-error.js';
import type { Contract, NewPlantSender } from './new-plant-sender.js';
import { resolveSettings } from './options/resolve-settings.js';
import type { OptionalArgument, SendEncodedOptions } from './options/send-options.js';
import type { OrdinaryOptions } from './options/sender-options.js';
import { Sender } from './sender.js';

/** The options of a sender under any answers. */
export type SenderOptionsUnder<Plant, Given extends AnswerValues> = AnsweredOptions<Plant, Given> &
  OrdinaryOptions;

/** The options of `send` under any answers. */
export type SendOptionsUnder<Given extends AnswerValues> = SendEncodedOptions & EventOptions<Given>;

/** A response that acknowledges a delivery, under any answers. */
type AcknowledgementUnder<Given extends AnswerValues> = ReceiverResponse & {
  readonly status: AcknowledgedStatus<Given>;
};

/** A sender under any answers. */
export interface SenderUnder<Plant, Given extends AnswerValues> extends Omit<
  NewPlantSender<Plant>,
  'send' | 'sendEncoded'
> {
  send(
    plant: Plant,
    ...options: OptionalArgument<SendOptionsUnder<Given>>
  ): Promise<AcknowledgementUnder<Given>>;
  sendEncoded(encoded: EncodedPlant, options?: SendEncodedOptions): Promise<AcknowledgementUnder<Given>>;
}

/** Creates a sender under other answers than the published ones, for tests of what they change. */
export function createSenderUnder<
  const Given extends AnswerValues,
  Plant extends PlantOf<Given> = PlantOf<Given>,
>(options: SenderOptionsUnder<Plant, Given>, { answers }: Contract<Given>): SenderUnder<Plant, Given> {
  return new Sender<Plant>(resolveSettings(answers, options)) as unknown as SenderUnder<Plant, Given>;
}
