/** How deep a file may nest. No interface needs it; a file that goes deeper is an accident or an attack. */
export const MAX_DEPTH = 500;
