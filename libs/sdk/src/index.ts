import './refuse-bun.js';
export type { Failure } from '@plant-store/contract';
export type { AccessToken, AccessTokenRequest } from './delivery/access-token.js';
export type { HeaderFields } from './delivery/header-fields.js';
export type { HeaderHook, OutgoingRequest } from './delivery/headers.js';
export type { SigningKey } from './delivery/signing.js';
export type { FailedAttempt, RetryDelay, RetryOptions, RetryPolicy } from './delivery/retry.js';
export type { EncodedPlant } from './encoders/plant-encoder.js';
export { bytes, type Encoded, type Encoder, json } from './encoders/encoder.js';
export { InvalidOptionsError, type OptionFault } from './errors/invalid-options-error.js';
export { NotAcknowledgedError, type ReceiverResponse } from './errors/not-acknowledged-error.js';
export { type ErrorCode, errorCodes, type Outcome, PlantStoreError } from './errors/plant-store-error.js';
export {
  isInvalidOptions,
  isNotAcknowledged,
  isPlantStoreError,
  type SenderError,
} from './errors/sender-error.js';
export { type Acknowledgement, createNewPlantSender, type NewPlantSender } from './new-plant-sender.js';
export { limitDefaults, type SenderLimits } from './options/limits.js';
export type { CloseOptions, SendEncodedOptions, SendOptions } from './options/send-options.js';
export type { NewPlantSenderOptions } from './options/sender-options.js';
export type { SendTrace } from './sender.js';
