// Imported first by each process that serve.mjs starts. The channel to the parent closes when the parent ends,
// whatever ended it.
process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));
process.channel?.unref();
