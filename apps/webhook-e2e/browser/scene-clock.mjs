/** The clock of a receiver whose pictures are taken: it begins a minute before the scene, and SIGUSR2 stops it there. */
const SCENE = Date.UTC(2026, 10, 24, 9, 30, 4);
const MINUTE = 60_000;

let isStopped = false;
process.on('SIGUSR2', () => {
  isStopped = true;
});
Date.now = () => (isStopped ? SCENE : SCENE - MINUTE + Math.floor(performance.now()));
