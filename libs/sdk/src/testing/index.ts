export type { FakeAnswer, FakeFailureCode, FakeRequest } from './fake-receiver.js';
export { createFakeSender, type FakeDelivery, type FakeSender } from './fake-sender.js';
