const { createNewPlantSender, json } = require('@plant-store/sdk');

const [baseUrl] = process.argv.slice(2);
const sender = createNewPlantSender({ baseUrl, accessToken: 'token', method: 'POST', encode: json });
sender
  .send({ from: 'commonjs' })
  .then(({ status }) => console.log(status))
  .finally(() => sender.close());
