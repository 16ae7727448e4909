import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import { json } from '@plant-store/sdk';
import { NEW_PLANT_SENDER, NewPlantSenderModule } from '@plant-store/sdk/nest';

const [baseUrl] = process.argv.slice(2);
const module = NewPlantSenderModule.forRoot({ baseUrl, accessToken: 'token', method: 'POST', encode: json });
const application = await NestFactory.createApplicationContext(module, { logger: false });
const { status } = await application.get(NEW_PLANT_SENDER).send({ from: 'esm' });
await application.close();
console.log(status);
