require('reflect-metadata');
const { NestFactory } = require('@nestjs/core');
const { json } = require('@plant-store/sdk');
const { NEW_PLANT_SENDER, NewPlantSenderModule } = require('@plant-store/sdk/nest');

const [baseUrl] = process.argv.slice(2);
const options = { baseUrl, accessToken: 'token', method: 'POST', encode: json };

async function main() {
  const module = NewPlantSenderModule.forRoot(options);
  const application = await NestFactory.createApplicationContext(module, { logger: false });
  const { status } = await application.get(NEW_PLANT_SENDER).send({ from: 'commonjs' });
  await application.close();
  console.log(status);
}

main();
