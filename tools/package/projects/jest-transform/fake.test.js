const { json, PlantStoreError } = require('@plant-store/sdk');
const { createFakeSender } = require('@plant-store/sdk/testing');

test('a fake sender keeps what is sent, and fails as it is told', async () => {
  const sender = createFakeSender({
    baseUrl: 'https://receiver.test',
    accessToken: 'token',
    method: 'POST',
    encode: json,
  });
  sender.replyNext({ status: 503 });

  await expect(sender.send({ from: 'jest' })).rejects.toThrow(PlantStoreError);
  expect(sender.deliveries).toMatchObject([{ plant: { from: 'jest' } }]);
});
