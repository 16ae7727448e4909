module.exports = {
  testEnvironment: 'node',
  transform: { '\\.[jt]s$': ['@swc/jest', { module: { type: 'commonjs' } }] },
  transformIgnorePatterns: ['/node_modules/(?!@plant-store/)'],
};
