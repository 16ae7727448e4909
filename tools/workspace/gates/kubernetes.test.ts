import { readFileSync } from 'node:fs';
import { unknownToKubernetes } from './kubernetes.mjs';

const manifest = readFileSync(new URL('../../../deploy/kubernetes.yaml', import.meta.url), 'utf8');

test.each([
  { name: 'a field that Kubernetes does not have', from: 'replicas:', to: 'replica:', fault: 'replica' },
  { name: 'a value of another type', from: 'replicas: 1', to: 'replicas: one', fault: "'string'" },
  { name: 'a missing field', from: 'serviceName: plant-store-webhook', to: '', fault: "'serviceName'" },
])('$name is a fault', ({ from, to, fault }) => {
  expect(manifest).toContain(from);
  expect(unknownToKubernetes(manifest.replace(from, to))).toEqual([expect.stringContaining(fault)]);
});
