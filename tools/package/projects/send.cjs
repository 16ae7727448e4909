/** An application in CommonJS, which is also bundled. */
const { createNewPlantSender, json, PlantStoreError } = require('@plant-store/sdk');

const [baseUrl] = process.argv.slice(2);
const sender = createNewPlantSender({ baseUrl, accessToken: 'token', method: 'POST', encode: json });

async function main() {
  const { status } = await sender.send({ arbitrary: 'content' });
  await sender.close();
  const imported = await import('@plant-store/sdk');
  console.log(status, imported.PlantStoreError === PlantStoreError ? 'one instance' : 'two instances');
}

void main();
