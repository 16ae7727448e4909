const token = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
const parameter = `${token}=(?:${token}|"(?:[\\t !#-[\\]-~]|\\\\[\\t -~])*")`;
const mediaTypePattern = new RegExp(
  `^${token}/${token}(?:[ \\t]*;(?:[ \\t]*${parameter})?)*(?:(?<=;)[ \\t]+)?$`,
);

/** Whether a value is a media type, with or without parameters (RFC 9110 §8.3.1). */
export function isMediaType(value: unknown): value is string {
  return typeof value === 'string' && mediaTypePattern.test(value);
}

/** A media type without its parameters, in lower case, for comparing. */
export function essenceOf(mediaType: string): string {
  return mediaType.split(';', 1)[0]!.trim().toLowerCase();
}
