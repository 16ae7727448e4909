export { default } from '../../jest.shared.mjs';
