import '../refuse-bun.js';
export type { FakeReply, FakeFailureCode, FakeRequest } from './fake-receiver.js';
export { createFakeSender, type FakeDelivery, type FakeSender } from './fake-sender.js';
