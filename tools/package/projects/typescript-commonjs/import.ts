async function main(): Promise<void> {
  const { createNewPlantSender, json } = await import('@plant-store/sdk');
  const sender = createNewPlantSender<{ readonly from: string }>({
    baseUrl: process.argv[2] ?? '',
    accessToken: 'token',
    method: 'POST',
    encode: json,
  });
  const { status } = await sender.send({ from: 'import' });
  await sender.close();
  console.log(status);
}

void main();
