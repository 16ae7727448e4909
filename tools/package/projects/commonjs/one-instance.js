const required = require('@plant-store/sdk');

import('@plant-store/sdk').then((imported) => {
  console.log(required.PlantStoreError === imported.PlantStoreError ? 'one instance' : 'two instances');
});
