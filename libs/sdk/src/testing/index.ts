import '../refuse-bun.js';
export { createFakeSender, type FakeDelivery, type FakeReply, type FakeSender } from './fake-sender.js';
