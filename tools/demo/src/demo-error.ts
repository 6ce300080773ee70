/** Something went another way than the day has it; what was printed before says what. */
export class DemoError extends Error {
  override name = "DemoError";
  readonly code = "demo";
}
