const assert = require('node:assert');
const { json, PlantStoreError } = require('@plant-store/sdk');
const { createFakeSender } = require('@plant-store/sdk/testing');

const sender = createFakeSender({
  baseUrl: 'https://receiver.test',
  accessToken: 'token',
  method: 'POST',
  encode: json,
});
sender.replyNext({ status: 503 });
assert
  .rejects(sender.send({ from: 'commonjs' }), PlantStoreError)
  .then(() => console.log(sender.deliveries[0].plant.from));
