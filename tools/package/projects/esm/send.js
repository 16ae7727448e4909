import { createNewPlantSender, json } from '@plant-store/sdk';

const [baseUrl] = process.argv.slice(2);
const sender = createNewPlantSender({ baseUrl, accessToken: 'token', method: 'POST', encode: json });
// A bundle in CommonJS has no await at its top.
sender
  .send({ from: 'esm' })
  .then(({ status }) => console.log(status))
  .finally(() => sender.close());
