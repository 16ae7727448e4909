/** A handler that does nothing. */
export default function handle() {
  return undefined;
}
