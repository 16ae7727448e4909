const { createNewPlantSender, json } = require('@plant-store/sdk');

test('sends a plant', async () => {
  const sender = createNewPlantSender({
    baseUrl: process.env.RECEIVER_URL,
    accessToken: 'token',
    method: 'POST',
    encode: json,
  });
  const { status } = await sender.send({ from: 'jest' });
  await sender.close();
  expect(status).toBe(204);
});
