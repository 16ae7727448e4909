import { createNewPlantSender, json } from '@plant-store/sdk';

const [baseUrl] = process.argv.slice(2);
const sender = createNewPlantSender({ baseUrl, accessToken: 'token', method: 'POST', encode: json });
const { status } = await sender.send({ from: 'esm' });
await sender.close();
console.log(status);
