/** A file or an output can't be written. */
export class WriteError extends Error {
  /** @param what What it is, for the message. */
  constructor(what: string, cause: unknown) {
    const { code = '', message } = cause as NodeJS.ErrnoException;
    super(`${what} can't be written: ${reasons[code] ?? message}.`, { cause });
  }
}

const reasons: Readonly<Record<string, string>> = {
  EACCES: 'this user has no permission to write it',
  EDQUOT: 'the quota of this user is used up',
  EEXIST: 'it exists already',
  EFBIG: 'it is as large as a file may be here',
  EISDIR: 'it is a directory',
  ENOENT: 'its directory does not exist',
  ENOSPC: 'no space is left on the device',
  ENOTDIR: 'a part of its path is not a directory',
  EROFS: 'the file system is read-only',
};
