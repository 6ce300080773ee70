/** A step ended otherwise than the demo expects; the output before says which. */
export class DemoError extends Error {
  override name = "DemoError";
  readonly code = "demo";
}
