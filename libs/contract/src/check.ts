/** `@plant-store/contract/check`: what is wrong with answers. It loads Valibot, and the entry `.` loads nothing. */
export { acceptFaults, overdueFaults } from './check-accepts.js';
export { answerFaults } from './check-answers.js';
