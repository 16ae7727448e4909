import { createNewPlantSender, json, type Acknowledgement, PlantStoreError } from '@plant-store/sdk';

interface Plant {
  readonly from: string;
}

const sender = createNewPlantSender<Plant>({
  baseUrl: process.argv[2] ?? '',
  accessToken: 'token',
  method: 'POST',
  encode: json,
});
const send = async (plant: Plant): Promise<Acknowledgement> => {
  try {
    return await sender.send(plant);
  } catch (error) {
    if (error instanceof PlantStoreError) console.error(error.code, error.outcome);
    throw error;
  }
};
send({ from: 'typescript' })
  .then(({ status }) => console.log(status))
  .finally(() => sender.close());
