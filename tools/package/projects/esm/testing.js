import assert from 'node:assert';
import { json, PlantStoreError } from '@plant-store/sdk';
import { createFakeSender } from '@plant-store/sdk/testing';

const sender = createFakeSender({
  baseUrl: 'https://receiver.test',
  accessToken: 'token',
  method: 'POST',
  encode: json,
});
sender.replyNext({ status: 503 });
await assert.rejects(sender.send({ from: 'esm' }), PlantStoreError);
console.log(sender.deliveries[0].plant.from);
